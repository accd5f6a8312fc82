import { KeyCaller } from '../support/caller';
import { CompatibleStage } from './compatible-stage';

const HI = { messages: [{ role: 'user', content: 'Hi.' }], max_tokens: 50 };

/** Agents need more than the answer itself. */
describe('agents', () => {
  let stage: CompatibleStage;

  beforeAll(async () => {
    stage = await CompatibleStage.start();
    await stage.newCaller();
  });
  afterEach(() => stage.tidy());
  afterAll(() => stage.stop());

  const post = (path: string, body: object, key = stage.caller.key) =>
    stage.world.post(path, body, { authorization: `Bearer ${key}` });

  it('see what a call may cost, what is left and where to top up', async () => {
    const { key } = await KeyCaller.register(stage.world, 5n);
    const { status, body } = await post('/v1/messages', { model: 'claude', ...HI }, key);

    expect([status, body.error.retryable]).toEqual([402, false]);
    expect(body.error.message).toMatch(
      /^The balance is \$0\.000005\. This call begins with \$0\.0000\d\d and may cost up to \$0\.0000\d\d\. Top up at http.*\/account\/billing, then send it again\.$/,
    );
  });

  it.each([false, true])('see cached tokens in the shape of chat completions, stream %s', async (stream) => {
    stage.fakes.other.sayNext({ texts: ['Hi'], counts: { read: 900, written: 2, cached: 800 } });
    const options = stream ? { stream_options: { include_usage: true } } : {};
    const { body } = await post('/v1/chat/completions', { model: 'other', stream, ...options, ...HI });

    expect(stream ? body : JSON.stringify(body)).toContain('"prompt_tokens_details":{"cached_tokens":800}');
  });

  it('send an effort to models that do not reason', async () => {
    const effort = { reasoning_effort: 'high' };
    const answer = await post('/v1/chat/completions', { model: 'other', ...HI, ...effort });
    expect([answer.status, answer.headers['x-ignored']]).toEqual([200, 'reasoning_effort']);
    expect(stage.fakes.other.bodies.at(-1)).not.toHaveProperty('reasoning_effort');

    const thinking = { output_config: { effort: 'high' } };
    const translated = await post('/v1/messages', { model: 'other', ...HI, ...thinking });
    expect(translated.headers['x-ignored']).toBe('output_config.effort');
    expect(stage.fakes.other.bodies.at(-1)).not.toHaveProperty('reasoning_effort');
  });
});
