import { Injectable } from '@nestjs/common';

import { Slots } from '#kernel/slots';
import { ScheduledProcessor } from '#platform/queue/scheduled-processor';
import { JobRepository } from './job.repository';
import { LateRefunds } from './late-refunds';

const BATCH = 200;
/** Refunds in flight. A refund that waits for its payer's row delays no other. */
const AT_ONCE = 5;

/** Refunds jobs that failed after their charge. */
@Injectable()
export class RefundSweepProcessor extends ScheduledProcessor {
  readonly name = 'refund-sweep';
  readonly everyMs = 2_000;
  private readonly slots = new Slots(AT_ONCE);

  constructor(
    private readonly jobs: JobRepository,
    private readonly lateRefunds: LateRefunds,
  ) {
    super();
  }

  async run(): Promise<number> {
    const failed = await this.jobs.failedUnsettled(BATCH);
    await Promise.all(failed.map((job) => this.slots.run(() => this.lateRefunds.giveBack(job))));
    return failed.length;
  }
}
