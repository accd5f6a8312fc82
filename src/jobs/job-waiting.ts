import { Injectable } from '@nestjs/common';

import { Drain } from '../platform/http/drain';
import type { Job } from './job';
import { JobDriver } from './job-driver';
import { JobNews } from './job-news';
import { JobRepository } from './job.repository';

const LOOK_EVERY_MS = 500;

/** Waits for a job on behalf of its caller, and drives it meanwhile, so that it doesn't wait for a worker's tick. */
@Injectable()
export class JobWaiting {
  constructor(
    private readonly jobs: JobRepository,
    private readonly driver: JobDriver,
    private readonly news: JobNews,
    private readonly drain: Drain,
  ) {}

  /** The job as it is when it has ended, the time is up, or the service is told to stop. */
  async untilEnded(id: string, milliseconds: number): Promise<Job | undefined> {
    const until = Date.now() + milliseconds;
    for (;;) {
      const due = await this.jobs.takeIfDue(id);
      if (due !== undefined) await this.driver.look(due);
      const job = await this.jobs.find(id);
      const left = until - Date.now();
      if (job === undefined || job.status !== 'running' || left <= 0 || this.drain.draining) {
        return job;
      }
      await this.news.next(id, Math.min(left, LOOK_EVERY_MS), this.drain.signal);
    }
  }
}
