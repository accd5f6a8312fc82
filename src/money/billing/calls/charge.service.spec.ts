import type { EventSequencer } from '#notices/outbox/event-sequencer';
import type { ChargesMetrics } from './charges.metrics';
import type { ChargeDraft } from '../charges/charge';
import type { ChargeState } from '../charges/charge.entity';
import type { ChargeNotifier } from '../charges/charge-notifier';
import type { ChargeRepository } from '../charges/charge.repository';
import { WorkInDoubt } from '../charges/in-doubt.errors';
import type { LeaseKeeper } from '../charges/lease-keeper';
import type { Rails } from '../rails/rails';
import { ChargeService } from './charge.service';

/** A hold whose work failed: the answer of its rail, and its row if another process has decided it. */
const releasing = async (
  answer: () => Promise<boolean>,
  decided?: ChargeState,
  failure: Error = new Error('The work failed.'),
) => {
  const seen = { moved: [] as string[], letGo: [] as string[] };
  const charges = new ChargeService(
    { of: () => ({ release: answer }) } as unknown as Rails,
    { find: () => Promise.resolve(decided && { state: decided }) } as unknown as ChargeRepository,
    { letGo: (id: string) => seen.letGo.push(id) } as unknown as LeaseKeeper,
    { moved: () => undefined } as unknown as ChargeNotifier,
    { chargeDecided: () => undefined } as unknown as EventSequencer,
    undefined as never,
    { moved: (_: string, state: string) => seen.moved.push(state) } as unknown as ChargesMetrics,
    undefined as never,
  );
  const state = await charges.release({ id: 'ch_1', rail: 'wallet' } as ChargeDraft, failure);
  return { state, ...seen };
};

describe('a charge whose work failed', () => {
  it('is released, and counted once', async () => {
    expect(await releasing(() => Promise.resolve(true))).toEqual({
      state: 'released',
      moved: ['released'],
      letGo: ['ch_1'],
    });
  });

  it.each(['charged', 'released', 'settling'] as const)(
    'and that somebody else has %s says so, and counts nothing',
    async (decided) => {
      const { state, moved } = await releasing(() => Promise.resolve(false), decided);
      expect({ state, moved }).toEqual({ state: decided, moved: [] });
    },
  );

  it('stays held while the database is away', async () => {
    const away = () => Promise.reject(new Error('gone'));
    expect(await releasing(away)).toEqual({ state: 'held', moved: [], letGo: ['ch_1'] });
  });

  it('stays held while nobody knows whether it failed', async () => {
    const { state } = await releasing(() => Promise.resolve(true), undefined, new WorkInDoubt());
    expect(state).toBe('held');
  });
});
