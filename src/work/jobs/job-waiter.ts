import { type BeforeApplicationShutdown, Injectable, Logger } from '@nestjs/common';

import { within } from '#kernel/deadline';
import { WorkInDoubt } from '#money/billing/charges/in-doubt.errors';
import { DatabaseUnavailable } from '#platform/database/database.errors';
import { Drain } from '#platform/http/drain';
import { DueJobsRepository } from './due-jobs.repository';
import type { Job } from './job.entity';
import { JobPoller } from './job-poller';
import { JobNotifier } from './job-notifier';
import { JobRepository } from './job.repository';

const POLL_EVERY_MS = 500;
const SHUTDOWN_MS_MAX = 5_000;

/**
 * Waits for a job on behalf of its caller. It also polls the job, so the caller does not wait for a worker's next poll.
 */
@Injectable()
export class JobWaiter implements BeforeApplicationShutdown {
  private readonly logger = new Logger(JobWaiter.name);
  private readonly polls = new Set<Promise<void>>();

  constructor(
    private readonly jobs: JobRepository,
    private readonly dueJobs: DueJobsRepository,
    private readonly poller: JobPoller,
    private readonly notifier: JobNotifier,
    private readonly drain: Drain,
  ) {}

  /**
   * Returns the job when it has ended, the time is up, or the service stops. A running poll continues without the
   * caller. The provider has the work, so an error here never says that the work failed. A short outage of the database
   * only delays the answer; after a longer one, and after any other error, the work is in doubt.
   */
  async untilEnded(id: string, milliseconds: number): Promise<Job | undefined> {
    const until = Date.now() + milliseconds;
    const mustAnswer = (): boolean => Date.now() >= until || this.drain.draining;
    let poll: Promise<void> | undefined;
    for (;;) {
      try {
        const due = poll === undefined && !mustAnswer() ? await this.dueJobs.takeIfDue(id) : undefined;
        if (due !== undefined) poll = this.pollOnce(due).finally(() => (poll = undefined));
        const job = await this.jobs.find(id);
        if (job?.status !== 'running' || mustAnswer()) return job;
      } catch (error) {
        if (!(error instanceof DatabaseUnavailable) || mustAnswer()) throw new WorkInDoubt(error);
      }
      const left = Math.max(0, until - Date.now());
      const moved = this.notifier.next(id, Math.min(left, POLL_EVERY_MS), this.drain.signal);
      await (poll === undefined ? moved : Promise.race([moved, poll]));
    }
  }

  /** An interrupted poll is due again for another process. */
  async beforeApplicationShutdown(): Promise<void> {
    await within(SHUTDOWN_MS_MAX, Promise.allSettled(this.polls), () => undefined);
  }

  /** Never fails: after an error the job is due again. */
  private pollOnce(job: Job): Promise<void> {
    const poll = this.poller
      .poll(job)
      .catch((error: unknown) => this.logger.warn({ err: error, jobId: job.id }, 'A poll of a job failed.'))
      .finally(() => this.polls.delete(poll));
    this.polls.add(poll);
    return poll;
  }
}
