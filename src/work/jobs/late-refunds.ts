import { Injectable, Logger } from '@nestjs/common';

import { ChargeService } from '#money/billing/calls/charge.service';
import { SweepPauses } from '#platform/queue/sweep-pause.repository';
import { inTraceOf } from '#platform/telemetry/traces';
import { LATE_REFUNDS } from './job-sweeps';
import type { Job } from './job.entity';
import { JobRepository } from './job.repository';

/** A charge by channel is refunded after its claim, which comes within an hour by default. */
const WAIT_SECONDS = 60;

/** Refunds jobs that failed after their charge. The refund itself can happen only once. */
@Injectable()
export class LateRefunds {
  private readonly logger = new Logger(LateRefunds.name);

  constructor(
    private readonly jobs: JobRepository,
    private readonly charges: ChargeService,
    private readonly pauses: SweepPauses,
  ) {}

  /** Never fails: the next refund sweep tries again. */
  giveBack(job: Job): Promise<void> {
    return inTraceOf('give back', job.chargeId, () => this.giveBackOnce(job));
  }

  private async giveBackOnce(job: Job): Promise<void> {
    try {
      const charge = await this.charges.find(job.chargeId);
      if (charge?.state === 'held' || charge?.state === 'settling') return; // The charge sweep comes first.
      if (charge?.state === 'charged' && !(await this.charges.refund(charge))) {
        await this.pauses.waits(LATE_REFUNDS, job.id, WAIT_SECONDS);
        return;
      }
      await this.jobs.settledLate(job.id);
      await this.pauses.done(LATE_REFUNDS, job.id);
    } catch (error) {
      await this.pauses.failed(LATE_REFUNDS, job.id).catch(() => undefined);
      this.logger.warn(
        { err: error, jobId: job.id },
        'A failed job could not be refunded yet; the next refund sweep tries.',
      );
    }
  }
}
