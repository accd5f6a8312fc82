import { Injectable, Logger } from '@nestjs/common';

import { ChargeService } from '../billing/calls/charge.service';
import { inTraceOf } from '../platform/telemetry/traces';
import type { Job } from './job.entity';
import { JobRepository } from './job.repository';

/** Refunds jobs that failed after their charge. The refund itself can happen only once. */
@Injectable()
export class LateRefunds {
  private readonly logger = new Logger(LateRefunds.name);

  constructor(
    private readonly jobs: JobRepository,
    private readonly charges: ChargeService,
  ) {}

  /** Never fails: the next refund sweep tries again. */
  giveBack(job: Job): Promise<void> {
    return inTraceOf('give back', job.chargeId, () => this.giveBackOnce(job));
  }

  private async giveBackOnce(job: Job): Promise<void> {
    try {
      const charge = await this.charges.find(job.chargeId);
      if (charge?.state === 'held' || charge?.state === 'settling') return; // The charge sweep comes first.
      if (charge?.state === 'charged') await this.charges.refund(charge);
      await this.jobs.settledLate(job.id);
    } catch (error) {
      this.logger.warn(
        { err: error, jobId: job.id },
        'A failed job could not be refunded yet; the next refund sweep tries.',
      );
    }
  }
}
