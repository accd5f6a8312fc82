import { VENDOR_WORDS } from '../support/fake-provider';
import { CompatibleStage, PIXEL } from './compatible-stage';

const MESSAGES = { messages: [{ role: 'user', content: 'How long is this?' }], max_tokens: 9, stream: true };

/** Agents ask for a count before they shorten a conversation. */
describe('a count of tokens', () => {
  let stage: CompatibleStage;

  beforeAll(async () => {
    stage = await CompatibleStage.start();
    await stage.newCaller();
  });
  afterEach(() => stage.tidy());
  afterAll(() => stage.stop());

  const post = (
    path: string,
    body: object,
    headers: object = { authorization: `Bearer ${stage.caller.key}` },
  ) => stage.world.post(path, body, headers as Record<string, string>);

  it('is that of the vendor for a caller with a key, and costs nothing', async () => {
    const { status, body, headers } = await post('/v1/messages/count_tokens?beta=true', {
      model: 'claude',
      ...MESSAGES,
    });

    expect([status, body, headers['x-token-count']]).toEqual([200, { input_tokens: 77 }, 'exact']);
    expect(stage.fakes.claude.seen.at(-1)?.path).toBe('/v1/messages/count_tokens');
    expect(JSON.parse(stage.fakes.claude.seen.at(-1)!.body.toString())).toEqual({
      model: 'claude-haiku-4-5',
      messages: MESSAGES.messages,
    });
    expect(await stage.spent()).toBe(0);
  });

  it.each([
    ['/v1/messages/count_tokens', { model: 'other', ...MESSAGES }, 'input_tokens'],
    ['/v1/responses/input_tokens', { model: 'claude', input: 'How long is this?' }, 'input_tokens'],
    ['/v1/responses/input_tokens', { model: 'other', input: 'How long is this?' }, 'input_tokens'],
    ['/v1beta/models/claude:countTokens', { contents: [{ parts: [{ text: 'How long?' }] }] }, 'totalTokens'],
    [
      '/v1/models/claude:countTokens',
      { generateContentRequest: { contents: [{ parts: [{ text: 'How long?' }] }] } },
      'totalTokens',
    ],
  ])('at %s', async (path, body, field) => {
    const answer = await post(path, body);
    const isClaude = path.includes('claude') || (body as { model?: string }).model === 'claude';

    expect([answer.status, answer.headers['x-token-count']]).toEqual([200, isClaude ? 'exact' : 'estimate']);
    expect(answer.body[field]).toBeGreaterThan(3);
  });

  it('is an estimate without a key, with a picture, and while the vendor is away', async () => {
    const seen = stage.fakes.claude.seen.length;
    const picture = { type: 'image', source: { type: 'base64', media_type: 'image/png', data: PIXEL } };
    const answers = [
      await post('/v1/messages/count_tokens', { model: 'claude', ...MESSAGES }, {}),
      await post('/v1/messages/count_tokens', {
        model: 'claude',
        messages: [{ role: 'user', content: [picture] }],
      }),
    ];
    expect(stage.fakes.claude.seen.length).toBe(seen);
    stage.fakes.claude.failNext('count', 500);
    answers.push(await post('/v1/messages/count_tokens', { model: 'claude', ...MESSAGES }));

    expect(answers.map(({ status, headers }) => [status, headers['x-token-count']])).toEqual(
      answers.map(() => [200, 'estimate']),
    );
    expect(JSON.stringify(answers)).not.toContain(VENDOR_WORDS);
  });

  it('is refused for an unknown model and an unknown part, and an estimate for a wrong key', async () => {
    const wrong = { authorization: 'Bearer lp_wrong' };
    const answer = await post('/v1/messages/count_tokens', MESSAGES, wrong);
    expect([answer.status, answer.headers['x-token-count']]).toEqual([200, 'estimate']);
    expect((await post('/v1/messages/count_tokens', { model: 'none', ...MESSAGES })).status).toBe(400);
    const odd = { messages: [{ role: 'user', content: [{ type: 'hologram' }] }] };
    expect((await post('/v1/messages/count_tokens', odd)).body.error.message).toContain('hologram');
  });

  it('takes the long bodies of proven callers only', async () => {
    const long = { model: 'claude', messages: [{ role: 'user', content: 'word '.repeat(200_000) }] };

    expect((await post('/v1/messages/count_tokens', long)).status).toBe(200);
    expect((await post('/v1/messages/count_tokens', long, {})).status).toBe(413);
  });

  it('answers a websocket at once, so that its client sends HTTP', async () => {
    const upgrade = { connection: 'Upgrade', upgrade: 'websocket' };
    expect((await stage.world.get('/v1/responses', upgrade)).status).toBe(426);
  });
});
