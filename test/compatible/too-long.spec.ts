import { CompatibleStage } from './compatible-stage';

const ANTHROPIC = {
  type: 'error',
  error: { type: 'invalid_request_error', message: 'prompt is too long: 210000 tokens > 200000 maximum' },
};
const OPENAI = {
  error: {
    message:
      "This model's maximum context length is 128000 tokens. However, your messages resulted in 130001 tokens.",
    type: 'invalid_request_error',
    param: 'messages',
    code: 'context_length_exceeded',
  },
};

const ASKED = {
  '/v1/messages': { max_tokens: 9, messages: [{ role: 'user', content: 'Hi.' }] },
  '/v1/chat/completions': { messages: [{ role: 'user', content: 'Hi.' }] },
  '/v1/responses': { input: 'Hi.' },
};

describe('a conversation that is too long for its model', () => {
  let stage: CompatibleStage;

  beforeAll(async () => {
    stage = await CompatibleStage.start();
    await stage.newCaller();
  });
  afterEach(() => stage.tidy());
  afterAll(() => stage.stop());

  const post = (path: string, body: object) =>
    stage.world.post(path, body, { authorization: `Bearer ${stage.caller.key}` });

  const CASES = (['claude', 'other'] as const).flatMap((model) =>
    Object.keys(ASKED).flatMap((path) => [false, true].map((stream) => ({ model, path, stream }))),
  );

  it.each(CASES)('$path, model $model, stream $stream', async ({ model, path, stream }) => {
    const fake = stage.fakes[model];
    fake.failNext('chat', { says: { status: 400, json: model === 'claude' ? ANTHROPIC : OPENAI } });
    const answer = await post(path, { model, stream, ...ASKED[path as keyof typeof ASKED] });

    const [sent, max] = model === 'claude' ? [210_000, 200_000] : [130_001, 128_000];
    expect(answer.status).toBe(400);
    expect(answer.body.error).toMatchObject({
      type: 'invalid_request_error',
      code: path === '/v1/messages' ? 'CONTEXT_TOO_LONG' : 'context_length_exceeded',
      message: expect.stringMatching(`^prompt is too long: ${sent} tokens > ${max} maximum`),
      retryable: false,
    });
    expect(answer.headers).toMatchObject({ 'x-charge-state': 'released', 'x-should-retry': 'false' });
    expect(await stage.spent()).toBe(0);
    // The route is as good as before.
    expect((await post(path, { model, ...ASKED[path as keyof typeof ASKED] })).status).toBe(200);
    await stage.newCaller();
  });

  it('/v1beta/models/…:generateContent', async () => {
    stage.fakes.claude.failNext('chat', { says: { status: 400, json: ANTHROPIC } });
    const answer = await post('/v1beta/models/claude:generateContent', {
      contents: [{ parts: [{ text: 'Hi.' }] }],
    });

    expect([answer.status, answer.body.error.status]).toEqual([400, 'INVALID_ARGUMENT']);
    expect(answer.body.error.message).toContain('prompt is too long');
  });

  it('is no failover, because the other route is asked nothing', async () => {
    const before = stage.fakes.other.seen.length;
    stage.fakes.claude.failNext('chat', { says: { status: 413, json: ANTHROPIC } });

    expect((await post('/v1/messages', { model: 'both', ...ASKED['/v1/messages'] })).status).toBe(400);
    expect(stage.fakes.other.seen.length).toBe(before);
  });
});
