import { Processor } from '@nestjs/bullmq';

import { ScheduledProcessor } from '../platform/queue/scheduled-processor';
import { JobDriver } from './job-driver';
import { JobRepository } from './job.repository';

export const JOB_POLL = 'job-poll';
const BATCH = 500;
/** Looks in flight at once: a provider that hangs must not hold up the others. */
const AT_ONCE = 32;

/** Looks at jobs that are due. Which are due stands in the database, so losing the queue loses no job. */
@Processor(JOB_POLL)
export class JobPollProcessor extends ScheduledProcessor {
  readonly everyMs = 1_000;

  constructor(
    private readonly jobs: JobRepository,
    private readonly driver: JobDriver,
  ) {
    super();
  }

  async run(): Promise<number> {
    const due = await this.jobs.takeDue(BATCH);
    const rest = [...due];
    const lane = async (): Promise<void> => {
      for (let job = rest.shift(); job !== undefined; job = rest.shift()) await this.driver.look(job);
    };
    await Promise.all(Array.from({ length: Math.min(AT_ONCE, due.length) }, lane));
    return due.length;
  }
}
