import {
  APICallError,
  Output,
  generateImage,
  generateObject,
  generateText,
  jsonSchema,
  isStepCount,
  streamText,
  tool,
} from 'ai';

import { createLamppost } from '../../clients/typescript/src/ai';
import { BudgetExceeded, LamppostError } from '../../clients/typescript/src/lamppost';
import { freePort } from '../../tools/chain/free-port';
import { TextVendor, event, openStream, piece, usage } from '../adversary/text-vendor';
import { KeyCaller } from '../support/caller';
import { catalogOf, pictureEntry, textEntry } from '../support/catalogs';
import { World } from '../support/world';

const CREDITS = 10_000_000n;
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
  /** The vendor says this next, piece by piece. */
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
    let model: ReturnType<typeof lamppost>;

    beforeAll(async () => {
      const port = await freePort();
      sandbox = await World.start({ PUBLIC_URL: `http://127.0.0.1:${port}` });
      const baseUrl = await sandbox.listen(port);
      const { key } = await KeyCaller.register(sandbox, CREDITS);
      model = createLamppost({ baseUrl, key })('lumen-flash');
    });
    afterAll(() => sandbox.stop());

    it.each([
      ['streamed', streamed],
      ['whole', whole],
    ])('has a tool called, %s, and goes on with what it says', async (_, ask) => {
      const cities: string[] = [];
      const told = tool({
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
      const text = await ask({ model, prompt: 'Oslo?', tools: { told }, stopWhen: isStepCount(3) });

      expect(cities).toEqual(['string celsius']);
      expect(text).toContain('[sandbox]');
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
    // As code that is written for the SDK looks at it.
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

const pixel = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNkYPhfDwAChwGA60e6kgAAAABJRU5ErkJggg==',
  'base64',
);
