import { Processor } from '@nestjs/bullmq';
import { Logger } from '@nestjs/common';

import { ScheduledProcessor } from '../../platform/queue/scheduled-processor';
import { ChargeNews } from '../charges/charge-news';
import { ChargeRepository } from '../charges/charge.repository';
import { WorkRegister } from '../charges/work-register';
import { Rails } from '../rails/rails';

export const CHARGE_SWEEP = 'charge-sweep';
const BATCH = 100;

/** Decides charges whose process died: it looks at their work and their payment, never at their age alone. */
@Processor(CHARGE_SWEEP)
export class ChargeSweepProcessor extends ScheduledProcessor {
  readonly everyMs = 2_000;
  private readonly log = new Logger(ChargeSweepProcessor.name);

  constructor(
    private readonly charges: ChargeRepository,
    private readonly works: WorkRegister,
    private readonly rails: Rails,
    private readonly news: ChargeNews,
  ) {
    super();
  }

  async run(): Promise<number> {
    const abandoned = await this.charges.takeAbandoned(BATCH);
    for (const charge of abandoned) {
      try {
        await this.rails.of(charge.rail).recover(charge, await this.works.outcomeOf(charge));
        this.news.moved(charge.id);
      } catch (error) {
        // One that can't be decided now must not keep the others waiting; its lease brings it back.
        this.log.warn({ err: error, chargeId: charge.id }, 'An abandoned charge could not be decided yet.');
      }
    }
    return abandoned.length;
  }
}
