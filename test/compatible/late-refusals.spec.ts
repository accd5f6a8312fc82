import { KeyCaller } from '../support/caller';
import { CompatibleStage } from './compatible-stage';

const LATE_MS = 11_000; // After that time a stream is open.
const TOO_LONG = {
  lateMs: LATE_MS,
  status: 400,
  json: {
    type: 'error',
    error: { type: 'invalid_request_error', message: 'prompt is too long: 210000 tokens > 200000 maximum' },
  },
};
const MESSAGE = expect.stringMatching('^prompt is too long: 210000 tokens > 200000 maximum');

describe('a refusal in a stream that is open already', () => {
  let stage: CompatibleStage;

  beforeAll(async () => {
    stage = await CompatibleStage.start();
  });
  afterEach(() => stage.tidy());
  afterAll(() => stage.stop());

  /** The data of the events. */
  const ask = async ({ key }: KeyCaller, path: string, body: object): Promise<readonly unknown[]> => {
    const response = await fetch(`${stage.url}${path}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', authorization: `Bearer ${key}` },
      body: JSON.stringify(body),
    });
    expect(response.status).toBe(200);
    const text = await response.text();
    return [...text.matchAll(/^data: (.*)$/gm)].map(([, data]) => JSON.parse(data!) as unknown);
  };

  it('comes in the words of each API, so that agents shorten the conversation', async () => {
    const messages = [{ role: 'user', content: 'Hi.' }];
    const contents = [{ parts: [{ text: 'Hi.' }] }];
    stage.fakes.claude.failNext('chat', TOO_LONG, TOO_LONG, TOO_LONG, TOO_LONG);
    const caller = await KeyCaller.register(stage.world, 1_000_000n);
    const [completion, response, message, content] = await Promise.all([
      ask(caller, '/v1/chat/completions', { model: 'claude', stream: true, messages }),
      ask(caller, '/v1/responses', { model: 'claude', stream: true, input: 'Hi.' }),
      ask(caller, '/v1/messages', { model: 'claude', stream: true, max_tokens: 9, messages }),
      ask(caller, '/v1beta/models/claude:streamGenerateContent?alt=sse', { contents }),
    ]);
    const charge = { state: 'released', priceMicro: 0 };

    expect(completion.at(-1)).toMatchObject({
      error: { code: 'context_length_exceeded', message: MESSAGE },
      charge,
    });
    // Codex reads this event, and the libraries of OpenAI the next one.
    expect(response.at(-2)).toMatchObject({
      type: 'response.failed',
      response: { status: 'failed', error: { code: 'context_length_exceeded', message: MESSAGE } },
    });
    expect(response.at(-1)).toMatchObject({
      type: 'error',
      code: 'context_length_exceeded',
      message: MESSAGE,
      charge,
    });
    expect(message.at(-1)).toMatchObject({
      type: 'error',
      error: { type: 'invalid_request_error', message: MESSAGE },
      charge,
    });
    expect(content.at(-1)).toMatchObject({
      error: { code: 400, status: 'INVALID_ARGUMENT', message: MESSAGE },
      charge,
    });
  });
});
