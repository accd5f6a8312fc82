import OpenAI from 'openai';

import { VENDOR_WORDS } from '../support/fake-provider';
import { CALLS, CompatibleStage, HANDED_ON, PIXEL, priceOf } from './compatible-stage';

const PNG = `data:image/png;base64,${PIXEL}`;

const TOOL = {
  type: 'function' as const,
  name: 'weather',
  description: 'Looks outside.',
  parameters: {
    type: 'object',
    properties: { city: { type: 'string' } },
    required: ['city'],
    additionalProperties: false,
  },
  strict: true,
};

describe('/v1/responses, for the stock client of its maker', () => {
  let stage: CompatibleStage;
  let client: OpenAI;

  beforeAll(async () => {
    stage = await CompatibleStage.start();
  });

  beforeEach(async () => {
    const { key } = await stage.newCaller();
    client = new OpenAI({ apiKey: key, baseURL: `${stage.url}/v1`, maxRetries: 0 });
  });

  afterEach(() => stage.tidy());
  afterAll(() => stage.stop());

  const failure = async (asked: Promise<unknown>): Promise<InstanceType<typeof OpenAI.APIError>> => {
    const error: unknown = await asked.catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(OpenAI.APIError);
    return error as InstanceType<typeof OpenAI.APIError>;
  };

  describe.each(['claude', 'other'] as const)('with the model %s', (model) => {
    it('answers whole, charged by the tokens that the vendor has counted', async () => {
      stage.fakes[model].sayNext({ texts: ['Hello', ' you.'], counts: { read: 20, written: 10 } });
      const response = await client.responses.create({ model, input: 'Hello.' });

      expect(response.output_text).toBe('Hello you.');
      expect(response).toMatchObject({
        object: 'response',
        status: 'completed',
        model,
        store: false,
        usage: { input_tokens: 20, output_tokens: 10, total_tokens: 30 },
      });
      expect(await stage.spent()).toBe(priceOf(20, 10));
    });

    it('streams the events that its client knows, and says what it cost', async () => {
      stage.fakes[model].sayNext(CALLS);
      const stream = client.responses.stream({
        model,
        input: 'Hello.',
        max_output_tokens: 4_000,
        tools: [TOOL],
      });
      const seen: { type: string; sequence_number: number }[] = [];
      let charge: unknown;
      for await (const event of stream) {
        seen.push({ type: event.type, sequence_number: event.sequence_number });
        if (event.type === 'response.completed') charge = (event as { charge?: unknown }).charge;
      }
      const { output, output_text: text, usage } = await stream.finalResponse();

      expect(text).toBe('I look.');
      expect(output.slice(1)).toEqual([
        expect.objectContaining({ type: 'function_call', name: 'weather', arguments: '{"city":"Oslo"}' }),
        expect.objectContaining({ type: 'function_call', name: 'weather', arguments: '{"city":"Rome"}' }),
      ]);
      expect(usage).toMatchObject({ input_tokens: 1_000, output_tokens: 50 });
      expect(seen.map((event) => event.sequence_number)).toEqual(seen.map((_, at) => at));
      expect(seen.map(({ type }) => type).filter((type) => type.includes('output_item'))).toEqual(
        Array.from({ length: 3 }).flatMap(() => ['response.output_item.added', 'response.output_item.done']),
      );
      expect(charge).toMatchObject({ state: 'charged', priceMicro: await stage.spent() });
    });

    it('hands on instructions, pictures, calls of tools and their results', async () => {
      stage.fakes[model].sayNext(CALLS);
      const first = await client.responses.create({ model, input: 'Hello.', tools: [TOOL] });
      await client.responses.create({
        model,
        max_output_tokens: 32,
        instructions: 'Be brief.',
        tools: [TOOL],
        tool_choice: 'auto',
        input: [
          {
            role: 'user',
            content: [
              { type: 'input_text', text: 'Where?' },
              { type: 'input_image', image_url: PNG, detail: 'auto' },
            ],
          },
          ...first.output,
          ...first.output.flatMap((item) =>
            item.type === 'function_call'
              ? [{ type: 'function_call_output' as const, call_id: item.call_id, output: '4 degrees' }]
              : [],
          ),
          { role: 'user', content: 'And now?' },
        ] as never,
      });

      expect(stage.fakes[model].received).toMatchObject({
        maxTokens: 32,
        system: 'Be brief.',
        lines: HANDED_ON,
        tools: ['weather'],
      });
    });

    it('answers by a schema, which its client reads', async () => {
      const schema = { type: 'object', properties: { a: { type: 'number' } }, additionalProperties: false };
      stage.fakes[model].sayNext({ texts: ['{"a":', '1}'], counts: { read: 20, written: 10 } });
      const response = await client.responses.parse({
        model,
        input: 'Hello.',
        text: { format: { type: 'json_schema', name: 'a', schema, strict: true } },
      });

      expect(stage.fakes[model].received.schema).toEqual(schema);
      expect(response.output_parsed).toEqual({ a: 1 });
    });
  });

  it('says that its limit ended an answer', async () => {
    stage.fakes.other.sayNext({ texts: ['Hello'], finish: 'length', counts: { read: 20, written: 10 } });
    const response = await client.responses.create({ model: 'other', input: 'Hello.' });

    expect([response.status, response.incomplete_details?.reason]).toEqual([
      'incomplete',
      'max_output_tokens',
    ]);
  });

  it('takes the limit of an agent that asks for more than the most, and sends the most', async () => {
    stage.fakes.claude.sayNext({ texts: ['Hello.'], counts: { read: 20, written: 10 } });
    const { output_text: text } = await client.responses.create({
      model: 'claude',
      input: 'Hello.',
      max_output_tokens: 128_000,
    });

    expect(text).toBe('Hello.');
    expect(stage.fakes.claude.bodies.at(-1)).toMatchObject({ max_tokens: 8_192 });
    expect(await stage.spent()).toBe(priceOf(20, 10));
  });

  it('charges a repetition once, and streams it again', async () => {
    const headers = { 'Idempotency-Key': `again-${stage.caller.keyId}` };
    const read = async (): Promise<readonly string[]> => {
      const names: string[] = [];
      const stream = await client.responses.create(
        { model: 'claude', input: 'Hi.', stream: true },
        { headers },
      );
      for await (const { type } of stream) names.push(type);
      return names;
    };
    const first = await read();
    const paid = await stage.spent();

    expect(first.at(-1)).toBe('response.completed');
    expect(await read()).toEqual(first);
    expect(await stage.spent()).toBe(paid);
  });

  it.each<[string, object]>([
    ['store', { store: true }],
    ['background', { background: true }],
    ['previous_response_id', { previous_response_id: 'resp_1' }],
    ['conversation', { conversation: 'conv_1' }],
    ['prompt', { prompt: { id: 'p' } }],
    ['tools', { tools: [{ type: 'code_interpreter' }] }],
    ['input', { input: [{ type: 'item_reference', id: 'x' }] }],
    [
      'input',
      { model: 'blind', input: [{ role: 'user', content: [{ type: 'input_image', image_url: PNG }] }] },
    ],
    [
      'input[1].content[0]',
      {
        input: [
          { role: 'user', content: 'x' },
          { role: 'user', content: [{ type: 'input_image', image_url: 'data:image/png;base64,bm8=' }] },
        ],
      },
    ],
    ['text.format', { text: { format: { type: 'json_object' } } }],
    ['text.format', { text: { format: { type: 'json_schema', name: 'x' } } }],
  ])('names the field that cannot be served: %s', async (param, more) => {
    const error = await failure(
      client.responses.create({ model: 'claude', input: 'Hello.', ...more } as never) as Promise<unknown>,
    );

    expect(error).toBeInstanceOf(OpenAI.BadRequestError);
    expect([error.type, error.param?.startsWith(param)]).toEqual(['invalid_request_error', true]);
    expect(await stage.spent()).toBe(0);
  });

  it('ends a stream that breaks off with an error of its client, and charges nothing', async () => {
    stage.fakes.claude.sayNext({ texts: ['Hello', ' there'], after: { events: 5, comes: 'trouble' } });
    const stream = await client.responses.create({ model: 'claude', input: 'Hello.', stream: true });
    const read = async (): Promise<void> => {
      for await (const event of stream) expect(event.type).toBeDefined();
    };

    const error = await failure(read());
    expect(error.code).toBe('PROVIDER_UNAVAILABLE');
    expect(JSON.stringify(error)).not.toContain(VENDOR_WORDS);
    expect(await stage.spent()).toBe(0);
  });
});
