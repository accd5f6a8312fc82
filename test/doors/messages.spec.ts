import Anthropic from '@anthropic-ai/sdk';

import { KeyCaller } from '../support/caller';
import { catalogOf, textEntry } from '../support/catalogs';
import { FakeAnthropic } from '../support/fake-anthropic';
import { FakeChatCompletions } from '../support/fake-chat-completions';
import type { FakeTextServer, Said } from '../support/fake-text-server';
import { VENDOR_WORDS } from '../support/fake-provider';
import { World } from '../support/world';

const PNG =
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNkYPhfDwAChwGA60e6kgAAAABJRU5ErkJggg==';

const TOOL = {
  name: 'weather',
  description: 'Looks outside.',
  input_schema: { type: 'object' as const, properties: { city: { type: 'string' } } },
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

/** Micro-USD of a call at ten cents and forty cents for a million tokens. */
const priceOf = (read: number, written: number): number =>
  Math.ceil((read * 100_000 + written * 400_000) / 1e6);

describe('the door of Messages, for the stock client of its maker', () => {
  let world: World;
  let maker: FakeAnthropic;
  let other: FakeChatCompletions;
  let caller: KeyCaller;
  let client: Anthropic;
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
    client = new Anthropic({ apiKey: caller.key, baseURL: url, maxRetries: 0 });
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

  const failure = async (asked: Promise<unknown>): Promise<InstanceType<typeof Anthropic.APIError>> => {
    const error: unknown = await asked.catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(Anthropic.APIError);
    return error as InstanceType<typeof Anthropic.APIError>;
  };

  const HI = { max_tokens: 64, messages: [{ role: 'user' as const, content: 'Hello.' }] };
  const fakes = (): Record<string, FakeTextServer> => ({ claude: maker, other });

  describe.each(['claude', 'other'])('with the model %s', (model) => {
    it('answers whole, charged by the tokens that the vendor has counted', async () => {
      fakes()[model]!.sayNext({ texts: ['Hello', ' you.'], counts: { read: 10_000, written: 2_000 } });
      const message = await client.messages.create({ model, ...HI });

      expect(message).toMatchObject({
        type: 'message',
        role: 'assistant',
        model,
        content: [{ type: 'text', text: 'Hello you.' }],
        stop_reason: 'end_turn',
        usage: { input_tokens: 10_000, output_tokens: 2_000 },
      });
      // It held 64 tokens of an answer, and no vendor's count takes more.
      expect(await spent()).toBeLessThanOrEqual(priceOf(10_000, 2_000));
      expect(await spent()).toBeGreaterThan(0);
    });

    it('streams the events that its client knows, and says what it cost', async () => {
      fakes()[model]!.sayNext(CALLS);
      const stream = client.messages.stream({ model, ...HI, max_tokens: 4_000, tools: [TOOL] });
      const names: string[] = [];
      let charge: unknown;
      for await (const event of stream) {
        names.push(event.type);
        if (event.type === 'message_delta') charge = (event as { charge?: unknown }).charge;
      }
      const message = await stream.finalMessage();

      expect(message.content).toEqual([
        { type: 'text', text: 'I look.' },
        expect.objectContaining({ type: 'tool_use', name: 'weather', input: { city: 'Oslo' } }),
        expect.objectContaining({ type: 'tool_use', name: 'weather', input: { city: 'Rome' } }),
      ]);
      expect(message.stop_reason).toBe('tool_use');
      expect(message.usage).toMatchObject({ input_tokens: 1_000, output_tokens: 50 });
      expect([names[0], ...names.slice(-2)]).toEqual(['message_start', 'message_delta', 'message_stop']);
      expect(names.filter((name) => name === 'content_block_start')).toHaveLength(3);
      expect(charge).toMatchObject({ state: 'charged', priceMicro: await spent() });
    });

    it('hands on a prompt, pictures, calls of tools and their results', async () => {
      fakes()[model]!.sayNext(CALLS);
      const first = await client.messages.create({ model, ...HI, tools: [TOOL] });
      const source = { type: 'base64' as const, media_type: 'image/png' as const, data: PNG };
      await client.messages.create({
        model,
        max_tokens: 32,
        system: [{ type: 'text', text: 'Be brief.', cache_control: { type: 'ephemeral' } }],
        stop_sequences: ['END'],
        tools: [TOOL],
        tool_choice: { type: 'auto', disable_parallel_tool_use: true },
        messages: [
          {
            role: 'user',
            content: [
              { type: 'text', text: 'Where?' },
              { type: 'image', source },
            ],
          },
          { role: 'assistant', content: first.content },
          {
            role: 'user',
            content: [
              ...first.content.flatMap((block) =>
                block.type === 'tool_use'
                  ? [{ type: 'tool_result' as const, tool_use_id: block.id, content: '4 degrees' }]
                  : [],
              ),
              { type: 'text', text: 'And now?' },
            ],
          },
        ],
      });

      expect(fakes()[model]!.heard).toMatchObject({
        maxTokens: 32,
        system: model === 'claude' ? 'Be brief.' : expect.stringContaining('Be brief.'),
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
        stop: ['END'],
      });
    });

    it('answers by a schema', async () => {
      const schema = { type: 'object', properties: {}, additionalProperties: false };
      await client.messages.create({
        model,
        ...HI,
        output_config: { format: { type: 'json_schema', schema } },
      });

      expect(fakes()[model]!.heard.schema).toEqual(schema);
    });
  });

  it('charges a repetition once, and streams it again under the same names', async () => {
    const headers = { 'Idempotency-Key': `again-${caller.keyId}` };
    const read = async (): Promise<readonly string[]> => {
      const names: string[] = [];
      const stream = await client.messages.create({ model: 'claude', ...HI, stream: true }, { headers });
      for await (const { type } of stream) names.push(type);
      return names;
    };
    const first = await read();
    const paid = await spent();

    expect(await read()).toEqual(first);
    expect(await spent()).toBe(paid);
  });

  it('tells its client of a failure in the words that it looks for', async () => {
    const error = await failure(
      new Anthropic({ apiKey: 'lp_wrong', baseURL: url, maxRetries: 0 }).messages.create({
        model: 'claude',
        ...HI,
      }),
    );

    expect(error).toBeInstanceOf(Anthropic.AuthenticationError);
    expect(error.error).toMatchObject({
      type: 'error',
      error: { type: 'authentication_error', code: 'KEY_NOT_FOUND', message: expect.any(String) },
      request_id: expect.any(String),
    });
  });

  it.each<[string, object]>([
    ['max_tokens', { max_tokens: undefined }],
    ['max_tokens', { max_tokens: 9_000 }],
    ['top_k', { top_k: 5 }],
    ['mcp_servers', { mcp_servers: [{ type: 'url', url: 'https://example.com', name: 'x' }] }],
    ['tools', { tools: [{ type: 'web_search_20250305', name: 'web_search' }] }],
    [
      'messages',
      {
        model: 'blind',
        messages: [
          {
            role: 'user',
            content: [{ type: 'image', source: { type: 'base64', media_type: 'image/png', data: PNG } }],
          },
        ],
      },
    ],
    [
      'messages[0].content[1]',
      {
        messages: [
          {
            role: 'user',
            content: [
              { type: 'text', text: 'x' },
              {
                type: 'image',
                source: { type: 'base64', media_type: 'image/png', data: 'bm8gcGljdHVyZQ==' },
              },
            ],
          },
        ],
      },
    ],
    ['stop_sequences', { model: 'claude', stop_sequences: ['\n'] }],
  ])('names the field that can not be served: %s', async (param, more) => {
    const error = await failure(client.messages.create({ model: 'claude', ...HI, ...more } as never));

    expect(error).toBeInstanceOf(Anthropic.BadRequestError);
    expect(error.error).toMatchObject({ error: { type: 'invalid_request_error' } });
    const named = (error.error as { error: { param: string } }).error.param;
    expect(named.startsWith(param)).toBe(true);
    expect(await spent()).toBe(0);
  });

  it.each([[429], [500], [529], [401]])(
    'charges nothing where the vendor answers %i, and quotes nobody',
    async (status) => {
      maker.failNext('chat', status);
      const error = await failure(client.messages.create({ model: 'claude', ...HI }));

      expect(error.status).toBe(503);
      expect(JSON.stringify(error.error)).not.toContain(VENDOR_WORDS);
      expect(await spent()).toBe(0);
    },
  );

  it('ends a stream that breaks off with an error of its client, and charges nothing', async () => {
    maker.sayNext({ texts: ['Hello', ' there'], after: { events: 5, comes: 'trouble' } });
    const stream = await client.messages.create({ model: 'claude', ...HI, stream: true });
    const read = async (): Promise<void> => {
      for await (const event of stream) expect(event.type).toBeDefined();
    };

    const error = await failure(read());
    expect(error.error).toMatchObject({ type: 'error', error: { code: 'PROVIDER_UNAVAILABLE' } });
    expect(await spent()).toBe(0);
  });

  it('takes a session as it takes a key', async () => {
    const { publicUrl } = world.settings.http;
    const headers = { cookie: caller.cookie, origin: new URL(publicUrl).origin };
    const answer = await world.post('/v1/messages', { model: 'claude', ...HI }, headers);

    expect([answer.status, answer.body.type]).toEqual([200, 'message']);
  });
});
