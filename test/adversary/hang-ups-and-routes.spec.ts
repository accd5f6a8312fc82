import { setTimeout as pause } from 'node:timers/promises';

import { KeyCaller } from '../support/caller';
import { expectEventually } from '../support/eventually';
import { CompatibleStage } from '../compatible/compatible-stage';

const HANG_UPS = 3; // So many failures in a row let a route rest.

describe('callers who disconnect while a model thinks', () => {
  let stage: CompatibleStage;

  beforeAll(async () => {
    stage = await CompatibleStage.start();
  });
  afterEach(() => stage.tidy());
  afterAll(() => stage.stop());

  it('let no route of the model rest, and their prompts count as costs', async () => {
    const { claude } = stage.fakes;
    const { key, accountId } = await KeyCaller.register(stage.world, 1_000_000n);
    const ask = (signal?: AbortSignal): Promise<Response> =>
      fetch(`${stage.url}/v1/chat/completions`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', authorization: `Bearer ${key}` },
        body: JSON.stringify({ model: 'both', stream: true, messages: [{ role: 'user', content: 'Hi.' }] }),
        signal: signal ?? null,
      });

    for (let left = 1; left <= HANG_UPS; left += 1) {
      const gate = claude.holdNext('chat', { taken: true });
      const leaving = new AbortController();
      const asked = ask(leaving.signal).catch(() => undefined);
      await gate.reached;
      leaving.abort();
      await asked;
      // The vendor has read the prompt, and bills it.
      await expectEventually(async () => {
        const [{ charged } = { charged: 0 }] = await stage.world.db.rows<{ charged: number }>(
          `select count(*)::integer as charged from charge where payer = $1 and state = 'charged'`,
          [accountId],
        );
        return charged === left;
      });
      gate.open();
    }

    // The margins count what the vendor bills.
    const counted = async (): Promise<number> => {
      const [{ calls } = { calls: 0 }] = await stage.world.db.rows<{ calls: number }>(
        `select coalesce(sum(calls), 0)::integer as calls from vendor_cost_day where model_id = 'both'`,
      );
      return calls;
    };
    const until = Date.now() + 5_000; // The costs are written once a second.
    while ((await counted()) < HANG_UPS && Date.now() < until) await pause(100);
    expect(await counted()).toBe(HANG_UPS);

    const before = claude.taken('chat');
    expect(await (await ask()).text()).toContain('[DONE]');
    expect(claude.taken('chat')).toBe(before + 1);
  });
});
