import { Injectable } from '@nestjs/common';

import { EventSequencer } from '#notices/outbox/event-sequencer';
import { ScheduledProcessor } from '#platform/queue/scheduled-processor';
import type { Charge } from '../charges/charge.entity';
import { ChargeNotifier } from '../charges/charge-notifier';
import { ChargeRepository } from '../charges/charge.repository';
import { WorkOutcomes } from '../charges/work-outcomes';
import { Rails } from '../rails/rails';

/** A settlement may take 20 seconds, and a settlement that hangs must not delay the others. */
const WORKERS = 10;
/** Limits a run, because it could otherwise take charges in doubt again and again. The next run continues. */
const PER_TICK_MAX = 100;

/** Decides charges whose process died, by the outcome of their work and payment and never by their age alone. */
@Injectable()
export class ChargeSweepProcessor extends ScheduledProcessor {
  readonly name = 'charge-sweep';
  readonly everyMs = 2_000;

  constructor(
    private readonly charges: ChargeRepository,
    private readonly works: WorkOutcomes,
    private readonly rails: Rails,
    private readonly notifier: ChargeNotifier,
    private readonly events: EventSequencer,
  ) {
    super();
  }

  /** A free worker takes one charge at a time, because the lease of a charge starts when the worker takes it. */
  async run(): Promise<number> {
    const first = await this.charges.takeAbandoned(WORKERS);
    let taken = first.length;
    const worker = async (charge: Charge): Promise<void> => {
      await this.decide(charge);
      while (taken < PER_TICK_MAX) {
        const [next] = await this.charges.takeAbandoned(1);
        if (next === undefined) return;
        taken += 1;
        await this.decide(next);
      }
    };
    await Promise.all(first.map(worker));
    return taken;
  }

  private async decide(charge: Charge): Promise<void> {
    try {
      const { outcome, jobId = charge.jobId } = await this.works.lookUp(charge);
      await this.rails.of(charge.rail).recover({ ...charge, jobId }, outcome);
      this.notifier.moved(charge.id);
      this.events.chargeDecided();
    } catch (error) {
      // A charge that can't be decided now must not delay the others. The sweep takes it again when its lease expires.
      this.logger.warn({ err: error, chargeId: charge.id }, 'An abandoned charge could not be decided yet.');
    }
  }
}
