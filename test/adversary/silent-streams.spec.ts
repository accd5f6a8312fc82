import { KeyCaller } from '../support/caller';
import { expectEventually } from '../support/eventually';
import { CompatibleStage, priceOf } from '../compatible/compatible-stage';

const BODY = { model: 'claude', stream: true, messages: [{ role: 'user', content: 'Hi.' }] };
const LATE_MS = 11_000; // After that time a stream is open.

describe('a repetition of a stream that was open and silent', () => {
  let stage: CompatibleStage;

  beforeAll(async () => {
    stage = await CompatibleStage.start();
  });
  afterEach(() => stage.tidy());
  afterAll(() => stage.stop());

  const ask = ({ key }: KeyCaller, signal?: AbortSignal): Promise<Response> =>
    fetch(`${stage.url}/v1/chat/completions`, {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        authorization: `Bearer ${key}`,
        'idempotency-key': 'the-silent-stream',
      },
      body: JSON.stringify(BODY),
      signal: signal ?? null,
    });
  const codeOf = async (answer: Promise<Response>): Promise<unknown> => {
    const response = await answer;
    const { error } = (await response.json()) as { readonly error: { readonly code: string } };
    return [response.status, error.code];
  };
  const chargesOf = ({ accountId }: KeyCaller) =>
    stage.world.db.rows<{ state: string; price: number }>(
      'select state, price_micro::integer as price from charge where payer = $1 order by id',
      [accountId],
    );

  it('runs only if the first one was refused, and gets no empty answer', async () => {
    const { claude } = stage.fakes;
    const newKey = (): Promise<KeyCaller> => KeyCaller.register(stage.world, 1_000_000n);
    const [left, refused] = [await newKey(), await newKey()];
    const gate = claude.holdNext('chat', { taken: true });
    const leaving = new AbortController();
    const leaver = ask(left, leaving.signal);
    await gate.reached;
    claude.failNext('chat', { lateMs: LATE_MS, status: 400 });
    const refusal = ask(refused);
    const opened = await leaver;

    // While the first one is open.
    expect(opened.status).toBe(200);
    expect(await codeOf(ask(left))).toEqual([409, 'IDEMPOTENCY_IN_FLIGHT']);

    leaving.abort();
    await opened.text().catch(() => undefined);
    await expectEventually(async () => (await chargesOf(left))[0]?.state === 'charged');
    const taken = claude.taken('chat');
    expect(await codeOf(ask(left))).toEqual([410, 'REPLAY_EXPIRED']);
    expect(claude.taken('chat')).toBe(taken);
    gate.open();

    expect(await (await refusal).text()).toContain('"error"');
    claude.sayNext({ texts: ['Hello.'], counts: { read: 1_000, written: 50 } });
    expect(await (await ask(refused)).text()).toContain('"content":"Hello."');
    expect(await chargesOf(refused)).toMatchObject([
      { state: 'released' },
      { state: 'charged', price: priceOf(1_000, 50) },
    ]);
  });
});
