import {
  APICallError,
  Output,
  generateImage,
  generateObject,
  generateText,
  jsonSchema,
  isStepCount,
  streamObject,
  streamText,
  tool,
} from 'ai';

import { createLamppost } from '../../clients/typescript/src/ai';
import { BudgetExceeded, Lamppost, LamppostError } from '../../clients/typescript/src/lamppost';
import { freePort } from '../../tools/chain/free-port';
import { TextVendor, event, openStream, piece, usage } from '../adversary/text-vendor';
import { KeyCaller } from '../support/caller';
import { catalogOf, pictureEntry, textEntry } from '../support/catalogs';
import { World } from '../support/world';

const CREDITS = 10_000_000n;
const pixel = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNkYPhfDwAChwGA60e6kgAAAABJRU5ErkJggg==',
  'base64',
);
const CALLED = {
  index: 0,
  id: 'call_1',
  type: 'function',
  function: { name: 'weather', arguments: '{"city":' },
};
const REST = { index: 0, function: { arguments: '"Oslo"}' } };

const weather = tool({
  description: 'The weather of a city',
  inputSchema: jsonSchema<{ city: string }>({
    type: 'object',
    properties: { city: { type: 'string' } },
    required: ['city'],
  }),
  execute: ({ city }) => Promise.resolve(`Snow in ${city}`),
});

describe('the provider for the AI SDK', () => {
  let vendor: TextVendor;
  let world: World;
  let caller: KeyCaller;
  let lamppost: ReturnType<typeof createLamppost>;

  beforeAll(async () => {
    vendor = await new TextVendor().start();
    const port = await freePort();
    world = await vendor.world({
      PUBLIC_URL: `http://127.0.0.1:${port}`,
      ...catalogOf(
        [pictureEntry('lamp', ['openai:gpt-image-1'])],
        [
          textEntry('words', ['openai:gpt-4o-mini'], {
            vision: true,
            inputUsdPerMtok: '3',
            outputUsdPerMtok: '15',
          }),
        ],
      ),
    });
    await world.listen(port);
  });
  beforeEach(async () => {
    vendor.forget();
    caller = await KeyCaller.register(world, CREDITS);
    lamppost = createLamppost({ baseUrl: world.settings.http.publicUrl, key: caller.key });
  });
  afterEach(() => world.expectBooksToBalance());
  afterAll(async () => {
    await world.stop();
    await vendor.stop();
  });

  const spent = async (): Promise<number> => {
    const { body } = await world.get('/v1/agent/balance', { 'x-api-key': caller.key });
    return Number(CREDITS) - (body.balanceMicro as number);
  };
  /** The next answer of the vendor, in pieces. */
  const says = (...pieces: string[]): void =>
    vendor.next((response) => {
      openStream(response).end(pieces.join('') + usage(3, 2) + event('[DONE]'));
    });

  it('writes a text, and says what it cost', async () => {
    const {
      text,
      usage: used,
      finishReason,
      finalStep,
    } = await generateText({
      model: lamppost('words'),
      system: 'You are brief.',
      messages: [
        {
          role: 'user',
          content: [
            { type: 'text', text: 'What is this?' },
            { type: 'file', mediaType: 'image/png', data: new Uint8Array(pixel) },
          ],
        },
      ],
      temperature: 0.5,
      maxOutputTokens: 50,
    });

    expect([text, finishReason, used.inputTokens, used.outputTokens]).toEqual(['Hello.', 'stop', 3, 2]);
    expect(finalStep.providerMetadata?.['lamppost']).toMatchObject({ chargeMicro: await spent() });
    expect(vendor.asked[0]?.body).toMatchObject({
      temperature: 0.5,
      messages: [
        { role: 'system', content: 'You are brief.' },
        { role: 'user', content: [{ text: 'What is this?' }, { type: 'image_url' }] },
      ],
    });
  });

  it('streams a text', async () => {
    says(piece({ role: 'assistant', content: 'Good ' }), piece({ content: 'night.' }, 'stop'));
    const result = streamText({ model: lamppost('words'), prompt: 'Say good night.' });
    const pieces: string[] = [];
    for await (const text of result.textStream) pieces.push(text);

    expect(pieces).toEqual(['Good ', 'night.']);
    expect((await result.usage).totalTokens).toBe(5);
    const { providerMetadata } = await result.finalStep;
    expect(providerMetadata?.['lamppost']).toMatchObject({ chargeMicro: await spent() });
  });

  it.each([
    ['streamed', streamed],
    ['whole', whole],
  ])('has tools called, %s, and goes on with what they say', async (_, ask) => {
    says(piece({ role: 'assistant', tool_calls: [CALLED] }), piece({ tool_calls: [REST] }, 'tool_calls'));
    says(piece({ role: 'assistant', content: 'Take a coat.' }, 'stop'));
    const steps = { model: lamppost('words'), prompt: 'Oslo?', tools: { weather }, stopWhen: isStepCount(3) };

    expect(await ask(steps)).toBe('Take a coat.');
    expect(vendor.asked[0]?.body['tools']).toMatchObject([{ function: { name: 'weather' } }]);
    expect(vendor.asked[1]?.body['messages']).toMatchObject([
      { role: 'user' },
      { role: 'assistant', tool_calls: [{ id: 'call_1', function: { arguments: '{"city":"Oslo"}' } }] },
      { role: 'tool', tool_call_id: 'call_1', content: 'Snow in Oslo' },
    ]);
  });

  it('says that tools are called, also where the model says that it has stopped', async () => {
    says(piece({ role: 'assistant', tool_calls: [CALLED] }), piece({ tool_calls: [REST] }, 'stop'));
    const { finishReason, toolCalls } = await generateText({
      model: lamppost('words'),
      prompt: 'Oslo?',
      tools: { weather },
    });

    expect([finishReason, toolCalls.length]).toEqual(['tool-calls', 1]);
  });

  describe('before the models of the sandbox', () => {
    let sandbox: World;
    let provider: typeof lamppost;
    let model: ReturnType<typeof lamppost>;
    let eye: ReturnType<typeof lamppost>;

    beforeAll(async () => {
      const port = await freePort();
      sandbox = await World.start({ PUBLIC_URL: `http://127.0.0.1:${port}` });
      const baseUrl = await sandbox.listen(port);
      const { key } = await KeyCaller.register(sandbox, CREDITS);
      provider = createLamppost({ baseUrl, key });
      model = provider('lumen-flash');
      const { textModels } = await new Lamppost({ baseUrl, key }).models();
      eye = provider(textModels.find(({ vision }) => vision)!.id);
    });
    afterAll(() => sandbox.stop());

    it.each([
      ['streamed', streamed],
      ['whole', whole],
    ])('has a tool called, %s, and goes on with what it says', async (_, ask) => {
      const cities: string[] = [];
      const reported = tool({
        description: 'The weather of a city',
        inputSchema: jsonSchema<{ city: string; unit: string }>({
          type: 'object',
          properties: { city: { type: 'string' }, unit: { enum: ['celsius', 'kelvin'] } },
          required: ['city', 'unit'],
        }),
        execute: ({ city, unit }) => {
          cities.push(`${typeof city} ${unit}`);
          return Promise.resolve('Snow');
        },
      });
      const text = await ask({ model, prompt: 'Oslo?', tools: { reported }, stopWhen: isStepCount(3) });

      expect(cities).toEqual(['string celsius']);
      expect(text).toContain('[sandbox]');
    });

    /** The cases of the SDK's own suite for providers, except those about the quality of a model. */
    describe("passes the SDK's own cases", () => {
      const usedIn = async (result: { usage: PromiseLike<{ totalTokens: number | undefined }> }) =>
        (await result.usage).totalTokens;
      const post = jsonSchema<{ title: string; tags: string[] }>({
        type: 'object',
        properties: { title: { type: 'string' }, tags: { type: 'array', items: { type: 'string' } } },
        required: ['title', 'tags'],
        additionalProperties: false,
      });
      const calculator = tool({
        inputSchema: jsonSchema<{ expression: string }>({
          type: 'object',
          properties: { expression: { type: 'string' } },
          required: ['expression'],
        }),
        execute: ({ expression }) => Promise.resolve(`the value of ${expression}`),
      });
      const image = [
        { type: 'text' as const, text: 'Describe the image in detail.' },
        { type: 'file' as const, mediaType: 'image/png', data: new Uint8Array(pixel) },
      ];
      const seeing = { messages: [{ role: 'user' as const, content: image }] };

      it('of texts, whole and streamed', async () => {
        const { text, usage: used } = await generateText({
          model,
          prompt: 'Write a haiku about programming.',
        });
        const streamed = streamText({ model, prompt: 'Count from 1 to 5 slowly.' });
        const chunks: string[] = [];
        for await (const chunk of streamed.textStream) chunks.push(chunk);

        expect([text === '', chunks.length > 0]).toEqual([false, true]);
        expect(used.totalTokens).toBeGreaterThan(0);
        expect(await usedIn(streamed)).toBeGreaterThan(0);
      });

      it('of tools, whole and streamed', async () => {
        const call = { model, prompt: 'Calculate 5+7 with the calculator tool.', tools: { calculator } };
        const { toolCalls, toolResults, usage: used } = await generateText(call);
        const streamed = streamText(call);
        const types: string[] = [];
        for await (const { type } of streamed.stream) types.push(type);

        expect(toolCalls[0]).toMatchObject({
          toolName: 'calculator',
          input: { expression: expect.any(String) },
        });
        expect(toolResults[0]!.output).toMatch(/^the value of /);
        expect(types).toContain('tool-call');
        expect([used.totalTokens! > 0, (await usedIn(streamed))! > 0]).toEqual([true, true]);
      });

      it('of objects, whole and streamed', async () => {
        const { object, usage: used } = await generateObject({
          model,
          schema: post,
          prompt: 'Metadata of a post.',
        });
        const streamed = streamObject({ model, schema: post, prompt: 'Metadata of a post.' });
        const parts: object[] = [];
        for await (const part of streamed.partialObjectStream) parts.push(part);

        expect([object.title === '', Array.isArray(object.tags)]).toEqual([false, true]);
        expect(parts.at(-1)).toEqual(await streamed.object);
        expect([used.totalTokens! > 0, (await usedIn(streamed))! > 0]).toEqual([true, true]);
      });

      it('of pictures to look at, whole and streamed', async () => {
        const { text } = await generateText({ model: eye, ...seeing });
        const streamed = streamText({ model: eye, ...seeing });

        expect([text === '', (await streamed.text) === '']).toEqual([false, false]);
      });

      it('of a model that does not exist, whole and streamed', async () => {
        const nobody = provider('no-such-model');
        const whole: unknown = await generateText({ model: nobody, prompt: 'x' }).catch(
          (error: unknown) => error,
        );
        const errors: unknown[] = [];
        const streamed = streamText({
          model: nobody,
          prompt: 'x',
          onError: ({ error }) => errors.push(error),
        });
        for await (const _ of streamed.stream);

        for (const error of [whole, ...errors]) {
          expect(APICallError.isInstance(error)).toBe(true);
          expect(error).toMatchObject({ statusCode: 400, isRetryable: false });
        }
        expect(errors).toHaveLength(1);
      });
    });

    it('gives an object of a schema', async () => {
      const schema = jsonSchema<object>({
        type: 'object',
        properties: {
          lamps: { type: 'integer', minimum: 3 },
          colours: { type: 'array', items: { enum: ['green', 'red'] }, minItems: 2 },
          place: { $ref: '#/$defs/place' },
          on: { anyOf: [{ type: 'boolean' }, { type: 'null' }] },
        },
        required: ['lamps', 'colours', 'place', 'on'],
        additionalProperties: false,
        $defs: { place: { type: 'object', properties: { name: { type: 'string', maxLength: 5 } } } },
      });
      const { object } = await generateObject({ model, prompt: 'How many lamps?', schema });

      expect(object).toEqual({
        lamps: 3,
        colours: ['green', 'green'],
        place: { name: expect.stringMatching(/^.{1,5}$/) },
        on: true,
      });
    });
  });

  it('gives an object of a schema', async () => {
    const schema = jsonSchema<{ lamps: number }>({
      type: 'object',
      properties: { lamps: { type: 'number' } },
      required: ['lamps'],
      additionalProperties: false,
    });
    for (let time = 0; time < 2; time += 1)
      says(piece({ role: 'assistant', content: '{"lamps":3}' }, 'stop'));
    const { output } = await generateText({
      model: lamppost('words'),
      prompt: 'How many lamps?',
      output: Output.object({ schema }),
    });
    const { object } = await generateObject({ model: lamppost('words'), prompt: 'How many?', schema });

    expect([output, object]).toEqual([{ lamps: 3 }, { lamps: 3 }]);
    expect(vendor.asked[0]?.body['response_format']).toMatchObject({
      type: 'json_schema',
      json_schema: { schema: { required: ['lamps'] }, strict: true },
    });
  });

  it('makes pictures, each paid for itself', async () => {
    for (let time = 0; time < 2; time += 1) {
      vendor.next((response) =>
        response.end(JSON.stringify({ data: [{ b64_json: pixel.toString('base64') }] })),
      );
    }
    const { images, providerMetadata } = await generateImage({
      model: lamppost.imageModel('lamp'),
      prompt: 'A lamp in the fog',
      aspectRatio: '1:1',
      n: 2,
    });

    expect(images.map(({ mediaType }) => mediaType)).toEqual(['image/png', 'image/png']);
    const costs = providerMetadata['lamppost']!.images as { chargeMicro: number }[];
    expect(costs.map(({ chargeMicro }) => chargeMicro * 2)).toEqual([await spent(), await spent()]);
  });

  it('streams the parts that the SDK defines, in their order', async () => {
    says(
      piece({ role: 'assistant', reasoning_content: 'Hm.' }),
      piece({ content: 'Yes.' }),
      piece({ tool_calls: [CALLED] }),
      piece({ tool_calls: [REST] }, 'tool_calls'),
    );
    const prompt = [{ role: 'user' as const, content: [{ type: 'text' as const, text: 'Is it?' }] }];
    const { stream } = await lamppost('words').doStream({ prompt, topK: 3 });
    const parts: object[] = [];
    for await (const part of stream) parts.push(part);

    expect(parts).toEqual([
      { type: 'stream-start', warnings: [{ type: 'unsupported', feature: 'topK' }] },
      {
        type: 'response-metadata',
        id: expect.stringMatching(/^ch_/),
        modelId: 'words',
        timestamp: expect.any(Date),
      },
      { type: 'reasoning-start', id: 'reasoning' },
      { type: 'reasoning-delta', id: 'reasoning', delta: 'Hm.' },
      { type: 'text-start', id: 'text' },
      { type: 'text-delta', id: 'text', delta: 'Yes.' },
      { type: 'tool-input-start', id: 'call_1', toolName: 'weather' },
      { type: 'tool-input-delta', id: 'call_1', delta: '{"city":' },
      { type: 'tool-input-delta', id: 'call_1', delta: '"Oslo"}' },
      { type: 'reasoning-end', id: 'reasoning' },
      { type: 'text-end', id: 'text' },
      { type: 'tool-input-end', id: 'call_1' },
      { type: 'tool-call', toolCallId: 'call_1', toolName: 'weather', input: '{"city":"Oslo"}' },
      {
        type: 'finish',
        usage: expect.objectContaining({ inputTokens: expect.objectContaining({ total: 3 }) }),
        finishReason: { unified: 'tool-calls', raw: 'tool_calls' },
        providerMetadata: {
          lamppost: { chargeId: expect.stringMatching(/^ch_/), chargeMicro: await spent() },
        },
      },
    ]);
  });

  it('says no once, with what the service said, and spends no more than it may', async () => {
    const poor = createLamppost({
      baseUrl: world.settings.http.publicUrl,
      key: caller.key,
      budget: { total: 0.000_1 },
    });

    const refused: unknown = await generateText({ model: lamppost('nothing'), prompt: 'x' }).catch(
      (error: unknown) => error,
    );
    expect(refused).toBeInstanceOf(LamppostError);
    // Checks the error like code that uses the SDK.
    expect(APICallError.isInstance(refused)).toBe(true);
    expect(refused).toMatchObject({
      statusCode: 400,
      isRetryable: false,
      data: { error: { code: 'UNKNOWN_MODEL' } },
    });
    await expect(generateText({ model: poor('words'), prompt: 'x' })).rejects.toBeInstanceOf(BudgetExceeded);
    expect([vendor.asked.length, await spent()]).toEqual([0, 0]);
  });
});

type Steps = Parameters<typeof streamText>[0];

async function streamed(steps: Steps): Promise<string> {
  return streamText(steps).text;
}

async function whole(steps: Steps): Promise<string> {
  return (await generateText(steps as never)).text;
}
