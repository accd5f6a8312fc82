import { Injectable } from '@nestjs/common';

import { ChargeService } from '../billing/calls/charge.service';
import { Slots } from '../kernel/slots';
import { ScheduledProcessor } from '../platform/queue/scheduled-processor';
import type { Job } from './job.entity';
import { JobRepository } from './job.repository';

const BATCH = 200;
/** Refunds at once: one that waits for its payer's row holds up nobody else's money. */
const AT_ONCE = 5;

/** Gives the money of jobs back that failed after they were charged. The refund itself can happen only once. */
@Injectable()
export class LateFailureProcessor extends ScheduledProcessor {
  readonly name = 'late-failures';
  readonly everyMs = 2_000;
  private readonly slots = new Slots(AT_ONCE);

  constructor(
    private readonly jobs: JobRepository,
    private readonly charges: ChargeService,
  ) {
    super();
  }

  async run(): Promise<number> {
    const failed = await this.jobs.failedUnsettled(BATCH);
    await Promise.all(failed.map((job) => this.slots.run(() => this.refund(job))));
    return failed.length;
  }

  private async refund(job: Job): Promise<void> {
    try {
      const charge = await this.charges.find(job.chargeId);
      if (charge?.state === 'held' || charge?.state === 'settling') return; // The charge sweep decides it first.
      if (charge?.state === 'charged') await this.charges.refund(charge);
      await this.jobs.settledLate(job.id);
    } catch (error) {
      this.logger.warn(
        { err: error, jobId: job.id },
        'A failed job could not be refunded yet; the next tick tries.',
      );
    }
  }
}
