import Anthropic from '@anthropic-ai/sdk';

import { VENDOR_WORDS } from '../support/fake-provider';
import { CALLS, CompatibleStage, HANDED_ON, PIXEL, priceOf } from '../compatible/compatible-stage';

const TOOL = {
  name: 'weather',
  description: 'Looks outside.',
  input_schema: { type: 'object' as const, properties: { city: { type: 'string' } } },
};

describe('/v1/messages, for the stock client of its maker', () => {
  let stage: CompatibleStage;
  let client: Anthropic;

  beforeAll(async () => {
    stage = await CompatibleStage.start();
  });

  beforeEach(async () => {
    const { key } = await stage.newCaller();
    client = new Anthropic({ apiKey: key, baseURL: stage.url, maxRetries: 0 });
  });

  afterEach(() => stage.tidy());
  afterAll(() => stage.stop());

  const failure = async (asked: Promise<unknown>): Promise<InstanceType<typeof Anthropic.APIError>> => {
    const error: unknown = await asked.catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(Anthropic.APIError);
    return error as InstanceType<typeof Anthropic.APIError>;
  };

  const HI = { max_tokens: 64, messages: [{ role: 'user' as const, content: 'Hello.' }] };
  describe.each(['claude', 'other'] as const)('with the model %s', (model) => {
    it('answers whole, charged by the tokens that the vendor has counted', async () => {
      stage.fakes[model].sayNext({ texts: ['Hello', ' you.'], counts: { read: 20, written: 10 } });
      const message = await client.messages.create({ model, ...HI });

      expect(message).toMatchObject({
        type: 'message',
        role: 'assistant',
        model,
        content: [{ type: 'text', text: 'Hello you.' }],
        stop_reason: 'end_turn',
        usage: { input_tokens: 20, output_tokens: 10 },
      });
      expect(await stage.spent()).toBe(priceOf(20, 10));
    });

    it('streams the events that its client knows, and says what it cost', async () => {
      stage.fakes[model].sayNext(CALLS);
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
      expect(charge).toMatchObject({ state: 'charged', priceMicro: await stage.spent() });
    });

    it('hands on a prompt, pictures, calls of tools and their results', async () => {
      stage.fakes[model].sayNext(CALLS);
      const first = await client.messages.create({ model, ...HI, tools: [TOOL] });
      const source = { type: 'base64' as const, media_type: 'image/png' as const, data: PIXEL };
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

      expect(stage.fakes[model].received).toMatchObject({
        maxTokens: 32,
        system: model === 'claude' ? 'Be brief.' : expect.stringContaining('Be brief.'),
        lines: HANDED_ON,
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

      expect(stage.fakes[model].received.schema).toEqual(schema);
    });
  });

  it('takes the limit of an agent that asks for more than the most, and sends the most', async () => {
    stage.fakes.claude.sayNext({ texts: ['Hello.'], counts: { read: 20, written: 10 } });
    // The client refuses such a limit for calls without a stream.
    const stream = client.messages.stream({ model: 'claude', ...HI, max_tokens: 32_000 });
    const message = await stream.finalMessage();

    expect(message.content).toEqual([expect.objectContaining({ text: 'Hello.' })]);
    expect(stage.fakes.claude.bodies.at(-1)).toMatchObject({ max_tokens: 8_192 });
    expect(await stage.spent()).toBe(priceOf(20, 10));
  });

  it('charges a repetition once, and streams it again under the same names', async () => {
    const headers = { 'Idempotency-Key': `again-${stage.caller.keyId}` };
    const read = async (): Promise<readonly string[]> => {
      const names: string[] = [];
      const stream = await client.messages.create({ model: 'claude', ...HI, stream: true }, { headers });
      for await (const { type } of stream) names.push(type);
      return names;
    };
    const first = await read();
    const paid = await stage.spent();

    expect(await read()).toEqual(first);
    expect(await stage.spent()).toBe(paid);
  });

  it('reports a failure to its client in the expected words', async () => {
    const error = await failure(
      new Anthropic({ apiKey: 'lp_wrong', baseURL: stage.url, maxRetries: 0 }).messages.create({
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
    ['max_tokens', { max_tokens: 0 }],
    ['mcp_servers', { mcp_servers: [{ type: 'url', url: 'https://example.com', name: 'x' }] }],
    ['tools', { tools: [{ type: 'web_search_20250305', name: 'web_search' }] }],
    [
      'messages',
      {
        model: 'blind',
        messages: [
          {
            role: 'user',
            content: [{ type: 'image', source: { type: 'base64', media_type: 'image/png', data: PIXEL } }],
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
  ])('names the field that cannot be served: %s', async (param, more) => {
    const error = await failure(client.messages.create({ model: 'claude', ...HI, ...more } as never));

    expect(error).toBeInstanceOf(Anthropic.BadRequestError);
    expect(error.error).toMatchObject({ error: { type: 'invalid_request_error' } });
    const named = (error.error as { error: { param: string } }).error.param;
    expect(named.startsWith(param)).toBe(true);
    expect(await stage.spent()).toBe(0);
  });

  it.each([[429], [500], [529], [401]])(
    'charges nothing where the vendor answers %i, and quotes nobody',
    async (status) => {
      stage.fakes.claude.failNext('chat', status);
      const error = await failure(client.messages.create({ model: 'claude', ...HI }));

      expect(error.status).toBe(503);
      expect(JSON.stringify(error.error)).not.toContain(VENDOR_WORDS);
      expect(await stage.spent()).toBe(0);
    },
  );

  it('ends a stream that breaks off with an error of its client, and charges nothing', async () => {
    stage.fakes.claude.sayNext({ texts: ['Hello', ' there'], after: { events: 5, comes: 'trouble' } });
    const stream = await client.messages.create({ model: 'claude', ...HI, stream: true });
    const read = async (): Promise<void> => {
      for await (const event of stream) expect(event.type).toBeDefined();
    };

    const error = await failure(read());
    expect(error.error).toMatchObject({ type: 'error', error: { code: 'PROVIDER_UNAVAILABLE' } });
    expect(await stage.spent()).toBe(0);
  });

  it('takes a session as it takes a key', async () => {
    const { publicUrl } = stage.world.settings.http;
    const headers = { cookie: stage.caller.cookie, origin: new URL(publicUrl).origin };
    const answer = await stage.world.post('/v1/messages', { model: 'claude', ...HI }, headers);

    expect([answer.status, answer.body.type]).toEqual([200, 'message']);
  });
});
