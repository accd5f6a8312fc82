import { Logger } from '@nestjs/common';

import type { EventSequencer } from '#notices/outbox/event-sequencer';
import type { Charge } from '../charges/charge.entity';
import type { ChargeNotifier } from '../charges/charge-notifier';
import type { ChargeRepository } from '../charges/charge.repository';
import type { WorkOutcomes } from '../charges/work-outcomes';
import type { Rails } from '../rails/rails';
import { ChargeSweepProcessor } from './charge-sweep.processor';

/** Abandoned charges, and a rail whose speed and errors a test controls. */
class Abandoned {
  readonly decided: string[] = [];
  atOnce = 0;
  atOnceMax = 0;
  private readonly waiting: string[];

  constructor(
    count: number,
    private readonly decide: (id: string) => Promise<void>,
  ) {
    this.waiting = Array.from({ length: count }, (_, n) => `ch_${n}`);
  }

  sweep(): Promise<number> {
    const charges = {
      takeAbandoned: (limit: number) =>
        Promise.resolve(this.waiting.splice(0, limit).map((id) => ({ id, rail: 'wallet' }) as Charge)),
    };
    const rail = { recover: ({ id }: Charge) => this.recover(id) };
    return new ChargeSweepProcessor(
      charges as unknown as ChargeRepository,
      { lookUp: () => Promise.resolve({ outcome: 'not-done' }) } as unknown as WorkOutcomes,
      { of: () => rail } as unknown as Rails,
      { moved: () => undefined } as unknown as ChargeNotifier,
      { chargeDecided: () => undefined } as unknown as EventSequencer,
    ).run();
  }

  private async recover(id: string): Promise<void> {
    this.atOnce += 1;
    this.atOnceMax = Math.max(this.atOnceMax, this.atOnce);
    await this.decide(id).finally(() => (this.atOnce -= 1));
    this.decided.push(id);
  }
}

describe('the sweep of abandoned charges', () => {
  beforeAll(() => Logger.overrideLogger(false));

  it('decides ten at a time, and all of them', async () => {
    const abandoned = new Abandoned(35, () => new Promise((resolve) => setImmediate(resolve)));

    expect(await abandoned.sweep()).toBe(35);

    expect(abandoned.atOnceMax).toBe(10);
    expect(abandoned.decided).toHaveLength(35);
  });

  it('lets one settlement that hangs hold up no other', async () => {
    let answer = (): void => undefined;
    const hanging = new Promise<void>((resolve) => (answer = resolve));
    const abandoned = new Abandoned(30, (id) => (id === 'ch_0' ? hanging : Promise.resolve()));

    const swept = abandoned.sweep();
    await new Promise((resolve) => setImmediate(resolve));
    const meanwhile = abandoned.decided.length;
    answer();
    await swept;

    expect(meanwhile).toBe(29);
    expect(abandoned.decided.at(-1)).toBe('ch_0');
  });

  it('goes on past one that cannot be decided now', async () => {
    const abandoned = new Abandoned(3, (id) =>
      id === 'ch_1' ? Promise.reject(new Error('The node does not answer.')) : Promise.resolve(),
    );

    await abandoned.sweep();

    expect(abandoned.decided).toEqual(['ch_0', 'ch_2']);
  });

  it('ends its tick, however many there are', async () => {
    const abandoned = new Abandoned(1_000, () => Promise.resolve());

    expect(await abandoned.sweep()).toBeLessThanOrEqual(110);
  });
});
