import { Injectable } from '@nestjs/common';

import type { BackgroundTask } from '#platform/background/background-task';
import { BackgroundWork } from '#platform/background/background-work';
import { DueJobsRepository } from './due-jobs.repository';
import { COPY_LEASE_SECONDS } from './job-times';

/** A third of the lease: two renewals may fail before another process takes the job. */
const RENEW_EVERY_MS = (COPY_LEASE_SECONDS / 3) * 1_000;

/**
 * The leases of jobs that this process has taken. A lease is short, and is renewed while a result is copied. After the
 * death of this process, or an outage of the database, another process therefore takes the job soon.
 */
@Injectable()
export class JobLeases {
  private readonly kept = new Set<string>();
  private readonly unreturned = new Set<string>();
  private readonly renewing: BackgroundTask;
  private readonly returning: BackgroundTask;

  constructor(
    private readonly jobs: DueJobsRepository,
    background: BackgroundWork,
  ) {
    this.renewing = background.task('Renewing leases of copies', () => this.renew(), {
      everyMs: RENEW_EVERY_MS,
    });
    this.returning = background.task('Returning jobs after an outage', () => this.returnAll());
  }

  /** Keeps the job until `letGo`. It resolves when the first lease is stored. */
  async keep(id: string): Promise<void> {
    await this.jobs.keepTaken([id]);
    this.kept.add(id);
    this.renewing.wake(RENEW_EVERY_MS);
  }

  letGo(id: string): void {
    this.kept.delete(id);
  }

  /** Makes the job due again as soon as the database answers, because its last statement has failed. */
  giveBack(id: string): void {
    this.unreturned.add(id);
    this.returning.wake();
  }

  private async renew(): Promise<void> {
    if (this.kept.size > 0) await this.jobs.keepTaken([...this.kept]);
  }

  private async returnAll(): Promise<void> {
    const ids = [...this.unreturned];
    await this.jobs.makeDue(ids);
    for (const id of ids) this.unreturned.delete(id);
  }
}
