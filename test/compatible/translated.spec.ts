import { CompatibleStage } from './compatible-stage';

const HELLO = [{ role: 'user', content: 'Hello.' }];

/** The fields of a call that its model does not know, and the counts that its vendor reports. */
describe('a call of an agent', () => {
  let stage: CompatibleStage;

  beforeAll(async () => {
    stage = await CompatibleStage.start();
    await stage.newCaller();
  });

  afterEach(() => stage.tidy());
  afterAll(() => stage.stop());

  const post = (path: string, body: object) =>
    stage.world.post(path, body, { authorization: `Bearer ${stage.caller.key}` });

  it.each([
    [
      '/v1/chat/completions',
      { model: 'other', messages: HELLO, reasoning_effort: 'high' },
      'reasoning_effort',
    ],
    [
      '/v1/responses',
      { model: 'other', input: 'Hello.', reasoning: { effort: 'xhigh' } },
      'reasoning.effort',
    ],
    [
      '/v1/messages',
      { model: 'claude', messages: HELLO, max_tokens: 9, output_config: { effort: 'max' } },
      'output_config.effort',
    ],
    [
      '/v1/models/other:generateContent',
      {
        contents: [{ parts: [{ text: 'Hello.' }] }],
        generationConfig: { thinkingConfig: { thinkingLevel: 'high' } },
      },
      'generationConfig.thinkingConfig',
    ],
  ])('at %s loses the effort that its model does not know', async (path, body, named) => {
    const answer = await post(path, body);

    expect([answer.status, answer.headers['x-ignored']]).toEqual([200, named]);
    const { claude, other } = stage.fakes;
    const sent = (path === '/v1/messages' ? claude : other).bodies.at(-1)!;
    expect([sent['reasoning_effort'], sent['output_config']]).toEqual([undefined, undefined]);
  });

  it('names the budget of thoughts that another vendor does not get', async () => {
    const thinking = { type: 'enabled', budget_tokens: 4_096 };
    const answer = await post('/v1/messages', { model: 'other', messages: HELLO, max_tokens: 9, thinking });

    expect([answer.status, answer.headers['x-ignored']]).toEqual([200, 'thinking']);
    expect(stage.fakes.other.bodies.at(-1)!['reasoning_effort']).toBeUndefined();
  });

  it('may call several of its functions, if it names them in the shape of Google', async () => {
    const functionDeclarations = ['read', 'write', 'rename'].map((name) => ({ name }));
    const { status } = await post('/v1/models/claude:generateContent', {
      contents: [{ parts: [{ text: 'Hello.' }] }],
      tools: [{ functionDeclarations }],
      toolConfig: { functionCallingConfig: { mode: 'ANY', allowedFunctionNames: ['read', 'write'] } },
    });

    const { tools, tool_choice: choice } = stage.fakes.claude.bodies.at(-1) as {
      tools: readonly { name: string }[];
      tool_choice: object;
    };
    expect([status, tools.map(({ name }) => name), choice]).toEqual([
      200,
      ['read', 'write'],
      { type: 'any' },
    ]);
  });

  it.each(['other', 'claude'])(
    'may send a result twice, as Gemini CLI does after it was killed: %s',
    async (model) => {
      const result = (output: string) => ({
        role: 'user',
        parts: [{ functionResponse: { id: 'call_1', name: 'read', response: { output } } }],
      });
      const contents = [
        { role: 'user', parts: [{ text: 'Read it.' }] },
        { role: 'model', parts: [{ functionCall: { id: 'call_1', name: 'read', args: {} } }] },
        result('a lamp'),
        result('a lamp'),
        { role: 'model', parts: [{ text: 'Interrupted.' }] },
        { role: 'user', parts: [{ text: 'Go on.' }] },
      ];
      const answer = await post(`/v1/models/${model}:generateContent`, { contents });
      const sent = JSON.stringify(stage.fakes[model as 'other' | 'claude'].bodies.at(-1));
      const changed = await post(`/v1/models/${model}:generateContent`, {
        contents: [...contents, result('another lamp')],
      });

      expect(answer.status).toBe(200);
      expect(answer.headers['x-ignored']).toContain('contents[].parts[]');
      expect(sent.match(/a lamp/g)).toHaveLength(1);
      expect(changed.status).toBe(400);
      // A repeated picture would reach Google by the caller's address.
      const shown = {
        role: 'user',
        parts: [
          {
            functionResponse: {
              id: 'call_1',
              name: 'read',
              response: {},
              parts: [{ fileData: { fileUri: 'https://example.com/a.png' } }],
            },
          },
        ],
      };
      const pictured = [contents[0], contents[1], shown, shown];
      const repeated = await post(`/v1/models/${model}:generateContent`, { contents: pictured });
      expect(repeated.body.error.message).toContain('belongs to no functionCall');
    },
  );

  it('gets the cached tokens that the vendor counts, in the shape of its API', async () => {
    const counts = { read: 1_000, written: 5, cached: 800 };
    const usageOf = async (path: string, body: object) => {
      stage.fakes.other.sayNext({ texts: ['Hello.'], finish: 'stop', counts });
      return (await post(path, { model: 'other', ...body })).body;
    };
    const completion = await usageOf('/v1/chat/completions', { messages: HELLO });
    const response = await usageOf('/v1/responses', { input: 'Hello.' });
    const message = await usageOf('/v1/messages', { messages: HELLO, max_tokens: 9 });
    const content = await usageOf('/v1/models/other:generateContent', {
      contents: [{ parts: [{ text: 'Hello.' }] }],
    });

    expect(completion.usage.prompt_tokens_details).toEqual({ cached_tokens: 800 });
    expect(response.usage.input_tokens_details).toEqual({ cached_tokens: 800 });
    expect(message.usage).toMatchObject({ input_tokens: 200, cache_read_input_tokens: 800 });
    expect(content.usageMetadata.cachedContentTokenCount).toBe(800);
  });
});
