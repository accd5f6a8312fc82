import OpenAI from 'openai';

import { KeyCaller } from '../support/caller';
import { catalogOf, textEntry } from '../support/catalogs';
import { FakeAnthropic } from '../support/fake-anthropic';
import { FakeChatCompletions } from '../support/fake-chat-completions';
import type { FakeTextServer, Said } from '../support/fake-text-server';
import { VENDOR_WORDS } from '../support/fake-provider';
import { World } from '../support/world';

const PNG =
  'data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNkYPhfDwAChwGA60e6kgAAAABJRU5ErkJggg==';

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

const CALLS: Said = {
  texts: ['I look.'],
  calls: [
    { name: 'weather', input: { city: 'Oslo' } },
    { name: 'weather', input: { city: 'Rome' } },
  ],
  finish: 'tool_calls',
  counts: { read: 1_000, written: 50 },
};

describe('the door of Responses, for the stock client of its maker', () => {
  let world: World;
  let maker: FakeAnthropic;
  let other: FakeChatCompletions;
  let caller: KeyCaller;
  let client: OpenAI;
  let url: string;

  beforeAll(async () => {
    [maker, other] = await Promise.all([FakeAnthropic.start(), FakeChatCompletions.start()]);
    world = await World.start({
      ...maker.env,
      OPENAI_BASE_URL: `${other.origin}/v1`,
      OPENAI_API_KEY: other.key,
      ALLOW_SANDBOX_MIX: 'true',
      RATE_LIMIT_CHAT: '0',
      ...catalogOf(
        [],
        [
          textEntry('claude', ['anthropic:claude-haiku-4-5'], { vision: true, default: true }),
          textEntry('other', ['openai:gpt-4o'], { vision: true }),
          textEntry('blind', ['openai:gpt-4o']),
        ],
      ),
    });
    url = await world.listen();
  });

  beforeEach(async () => {
    caller = await KeyCaller.register(world, 1_000_000n);
    client = new OpenAI({ apiKey: caller.key, baseURL: `${url}/v1`, maxRetries: 0 });
  });

  afterEach(async () => {
    maker.forgiveAll();
    other.forgiveAll();
    await world.expectBooksToBalance();
  });

  afterAll(async () => {
    await world.stop();
    await Promise.all([maker.stop(), other.stop()]);
  });

  const spent = async (): Promise<number> =>
    1_000_000 - (await world.get('/v1/account', { cookie: caller.cookie })).body.balanceMicro;

  const failure = async (asked: Promise<unknown>): Promise<InstanceType<typeof OpenAI.APIError>> => {
    const error: unknown = await asked.catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(OpenAI.APIError);
    return error as InstanceType<typeof OpenAI.APIError>;
  };

  const fakes = (): Record<string, FakeTextServer> => ({ claude: maker, other });

  describe.each(['claude', 'other'])('with the model %s', (model) => {
    it('answers whole, charged by the tokens that the vendor has counted', async () => {
      fakes()[model]!.sayNext({ texts: ['Hello', ' you.'], counts: { read: 20, written: 10 } });
      const response = await client.responses.create({ model, input: 'Hello.' });

      expect(response.output_text).toBe('Hello you.');
      expect(response).toMatchObject({
        object: 'response',
        status: 'completed',
        model,
        store: false,
        usage: { input_tokens: 20, output_tokens: 10, total_tokens: 30 },
      });
      expect(await spent()).toBe(Math.ceil((20 * 100_000 + 10 * 400_000) / 1e6));
    });

    it('streams the events that its client knows, and says what it cost', async () => {
      fakes()[model]!.sayNext(CALLS);
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
      expect(charge).toMatchObject({ state: 'charged', priceMicro: await spent() });
    });

    it('hands on instructions, pictures, calls of tools and their results', async () => {
      fakes()[model]!.sayNext(CALLS);
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

      expect(fakes()[model]!.heard).toMatchObject({
        maxTokens: 32,
        system: 'Be brief.',
        lines: [
          'user: Where?',
          'user shows image/png',
          'assistant: I look.',
          'assistant calls weather {"city":"Oslo"}',
          'assistant calls weather {"city":"Rome"}',
          'tool weather: 4 degrees',
          'tool weather: 4 degrees',
          'user: And now?',
        ],
        tools: ['weather'],
      });
    });

    it('answers by a schema, which its client reads', async () => {
      const schema = { type: 'object', properties: { a: { type: 'number' } }, additionalProperties: false };
      fakes()[model]!.sayNext({ texts: ['{"a":', '1}'], counts: { read: 20, written: 10 } });
      const response = await client.responses.parse({
        model,
        input: 'Hello.',
        text: { format: { type: 'json_schema', name: 'a', schema, strict: true } },
      });

      expect(fakes()[model]!.heard.schema).toEqual(schema);
      expect(response.output_parsed).toEqual({ a: 1 });
    });
  });

  it('says that its limit ended an answer', async () => {
    other.sayNext({ texts: ['Hello'], finish: 'length', counts: { read: 20, written: 10 } });
    const response = await client.responses.create({ model: 'other', input: 'Hello.' });

    expect([response.status, response.incomplete_details?.reason]).toEqual([
      'incomplete',
      'max_output_tokens',
    ]);
  });

  it('charges a repetition once, and streams it again', async () => {
    const headers = { 'Idempotency-Key': `again-${caller.keyId}` };
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
    const paid = await spent();

    expect(first.at(-1)).toBe('response.completed');
    expect(await read()).toEqual(first);
    expect(await spent()).toBe(paid);
  });

  it.each<[string, object]>([
    ['store', { store: true }],
    ['background', { background: true }],
    ['previous_response_id', { previous_response_id: 'resp_1' }],
    ['conversation', { conversation: 'conv_1' }],
    ['prompt', { prompt: { id: 'p' } }],
    ['tools', { tools: [{ type: 'web_search' }] }],
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
  ])('names the field that can not be served: %s', async (param, more) => {
    const error = await failure(
      client.responses.create({ model: 'claude', input: 'Hello.', ...more } as never) as Promise<unknown>,
    );

    expect(error).toBeInstanceOf(OpenAI.BadRequestError);
    expect([error.type, error.param?.startsWith(param)]).toEqual(['invalid_request_error', true]);
    expect(await spent()).toBe(0);
  });

  it('ends a stream that breaks off with an error of its client, and charges nothing', async () => {
    maker.sayNext({ texts: ['Hello', ' there'], after: { events: 5, comes: 'trouble' } });
    const stream = await client.responses.create({ model: 'claude', input: 'Hello.', stream: true });
    const read = async (): Promise<void> => {
      for await (const event of stream) expect(event.type).toBeDefined();
    };

    const error = await failure(read());
    expect(error.code).toBe('PROVIDER_UNAVAILABLE');
    expect(JSON.stringify(error)).not.toContain(VENDOR_WORDS);
    expect(await spent()).toBe(0);
  });
});
