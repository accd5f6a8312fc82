import { Injectable } from '@nestjs/common';

import { WorkInDoubt } from '../billing/calls/calls.errors';
import { DatabaseUnavailable } from '../platform/database/database.errors';
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

  /**
   * The job as it is when it has ended, the time is up, or the service is told to stop. Its provider has the work, so a
   * database that is away for a moment is waited for, too, and one that stays away leaves the work in doubt.
   */
  async untilEnded(id: string, milliseconds: number): Promise<Job | undefined> {
    const until = Date.now() + milliseconds;
    const mustAnswer = (): boolean => Date.now() >= until || this.drain.draining;
    for (;;) {
      try {
        const job = await this.look(id);
        if (job?.status !== 'running' || mustAnswer()) return job;
      } catch (error) {
        if (!(error instanceof DatabaseUnavailable)) throw error;
        if (mustAnswer()) throw new WorkInDoubt(error);
      }
      const left = Math.max(0, until - Date.now());
      await this.news.next(id, Math.min(left, LOOK_EVERY_MS), this.drain.signal);
    }
  }

  private async look(id: string): Promise<Job | undefined> {
    const due = await this.jobs.takeIfDue(id);
    if (due !== undefined) await this.driver.look(due);
    return this.jobs.find(id);
  }
}
