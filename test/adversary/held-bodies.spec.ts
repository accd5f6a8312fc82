import { KeyCaller } from '../support/caller';
import { CompatibleStage } from '../compatible/compatible-stage';

const MEGABYTE = 1024 * 1024;

describe('large bodies of silent streams', () => {
  let stage: CompatibleStage;

  beforeAll(async () => {
    stage = await CompatibleStage.start();
  });
  afterEach(() => stage.tidy());
  afterAll(() => stage.stop());

  it('of two callers keep nobody else out, in a process with a usual heap', async () => {
    const { claude } = stage.fakes;
    const leaving = new AbortController();
    const ask = ({ key }: KeyCaller, junk: number, signal?: AbortSignal): Promise<Response> =>
      fetch(`${stage.url}/v1/chat/completions`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', authorization: `Bearer ${key}` },
        body: JSON.stringify({
          model: 'claude',
          stream: true,
          max_tokens: 10,
          messages: [{ role: 'user', content: 'Hi.' }],
          junk: 'x'.repeat(junk),
        }),
        signal: signal ?? null,
      });
    const newKey = (): Promise<KeyCaller> => KeyCaller.register(stage.world, 10_000n);
    const callers = [await newKey(), await newKey(), await newKey()];
    const gates = [];
    for (const caller of callers)
      for (const bytes of caller === callers[2] ? [2] : [31, 16.8]) {
        const gate = claude.holdNext('chat', { taken: true });
        gates.push(gate);
        ask(caller, bytes * MEGABYTE, leaving.signal).catch(() => undefined);
        await gate.reached;
      }
    const answer = await ask(await newKey(), 1.2 * MEGABYTE);
    leaving.abort();
    for (const gate of gates) gate.open();
    expect(answer.status).toBe(200);
  });
});
