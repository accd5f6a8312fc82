import { KeyCaller } from '../support/caller';
import { expectEventually } from '../support/eventually';
import { CompatibleStage, priceOf } from './compatible-stage';

const BODY = { model: 'claude', stream: true, messages: [{ role: 'user', content: 'Hi.' }] };

/** A stream that a caller reads piece by piece. */
interface Reading {
  readonly status: number;
  readonly headers: Headers;
  /** The text so far. */
  readonly text: () => string;
  readonly ended: Promise<void>;
  readonly leave: () => void;
}

describe('a model that says nothing for ten seconds', () => {
  let stage: CompatibleStage;

  beforeAll(async () => {
    stage = await CompatibleStage.start();
  });
  afterEach(() => stage.tidy());
  afterAll(() => stage.stop());

  const read = async (path: string, { key }: KeyCaller, body: object): Promise<Reading> => {
    const leaving = new AbortController();
    const response = await fetch(`${stage.url}${path}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', authorization: `Bearer ${key}` },
      body: JSON.stringify(body),
      signal: leaving.signal,
    });
    let text = '';
    const decoder = new TextDecoder();
    const readAll = async (): Promise<void> => {
      for await (const chunk of response.body!) text += decoder.decode(chunk as Uint8Array, { stream: true });
    };
    return {
      status: response.status,
      headers: response.headers,
      text: () => text,
      ended: readAll().catch(() => undefined),
      leave: () => leaving.abort(),
    };
  };
  const chargesOf = ({ accountId }: KeyCaller) =>
    stage.world.db.rows<{ state: string; price: string }>(
      'select state, price_micro as price from charge where payer = $1',
      [accountId],
    );
  const newKey = (): Promise<KeyCaller> => KeyCaller.register(stage.world, 1_000_000n);

  it('has an open stream, which ends with the answer or names the refusal, and costs what it was', async () => {
    const { claude } = stage.fakes;
    const [answered, refused, left] = [await newKey(), await newKey(), await newKey()];
    claude.sayNext({ texts: ['Hello.'], counts: { read: 1_000, written: 50 } });

    const late = claude.holdNext('chat', { taken: true });
    const one = read('/v1/chat/completions', answered, { ...BODY, prompt_cache_key: 'a', logit_bias: {} });
    await late.reached;
    claude.failNext('chat', { lateMs: 12_000, status: 400 });
    const before = claude.seen.length;
    const two = read('/v1/messages', refused, { ...BODY, max_tokens: 50 });
    // The next fault is for the third call only once the second one has reached the vendor.
    await expectEventually(() => claude.seen.length > before);
    const held = claude.holdNext('chat', { taken: true });
    const three = read('/v1/chat/completions', left, BODY);
    await held.reached;
    const [answer, refusal, leaver] = await Promise.all([one, two, three]);

    expect([answer.status, refusal.status, leaver.status]).toEqual([200, 200, 200]);
    expect(answer.text()).not.toContain('data:');
    late.open();
    await answer.ended;
    expect(answer.text()).toContain('"content":"Hello."');
    expect(answer.text()).toContain('[DONE]');
    expect(answer.text()).toContain(': x-ignored logit_bias');
    expect(await chargesOf(answered)).toMatchObject([
      { state: 'charged', price: String(priceOf(1_000, 50)) },
    ]);

    await refusal.ended;
    expect(refusal.text()).toContain('event: error');
    expect(await chargesOf(refused)).toMatchObject([{ state: 'released' }]);

    // The vendor has read the prompt, and bills it.
    leaver.leave();
    await expectEventually(async () => (await chargesOf(left))[0]?.state === 'charged');
    held.open();
  });
});
