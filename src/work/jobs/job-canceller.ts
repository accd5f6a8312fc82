import { Injectable, Logger } from '@nestjs/common';

import type { ProvenOwner } from '#money/billing/calls/owners';
import { Rails } from '#money/billing/rails/rails';
import { NotFound } from '#kernel/app-error';
import { retryDuringOutage } from '#platform/database/retry-during-outage';
import { Drain } from '#platform/http/drain';
import type { Cancellation, MediaProvider } from '#models/providers/media-provider';
import { Providers } from '#models/providers/providers';
import { isPaidFor } from './job';
import type { Job } from './job.entity';
import { CANCEL_SECONDS_MAX } from './job-times';
import { JobNotifier } from './job-notifier';
import { JobRepository } from './job.repository';
import { CancelTooLate } from './jobs.errors';
import { LateRefunds } from './late-refunds';
import { MediaStore } from './media-store';

/** Well below the time after which the cancelling process counts as dead. */
const ASK_MS_MAX = 10_000;
const POLL_EVERY_MS = 500;

const isCancelled = (job: Job | undefined): job is Job => job?.errorCode === 'CANCELLED';

/**
 * Cancels jobs for their owners, with a refund. The intent is stored before the provider is asked. The job ends by the
 * same compare-and-set as all others: it is cancelled or done, never both.
 */
@Injectable()
export class JobCanceller {
  private readonly logger = new Logger(JobCanceller.name);

  constructor(
    private readonly jobs: JobRepository,
    private readonly providers: Providers,
    private readonly rails: Rails,
    private readonly lateRefunds: LateRefunds,
    private readonly store: MediaStore,
    private readonly notifier: JobNotifier,
    private readonly drain: Drain,
  ) {}

  /** Whether a request to the provider makes sense; the provider may still refuse. */
  isCancellable(job: Job): boolean {
    return (
      job.status === 'running' &&
      !job.cancelRefused &&
      job.chargeState === 'charged' &&
      job.providerRef !== undefined &&
      this.providerOf(job)?.cancel !== undefined &&
      this.rails.of(job.rail).givesBack
    );
  }

  /** The cancelled job: now, or by an earlier call. A job of another owner looks like one that does not exist. */
  async cancel(id: string, { view }: Pick<ProvenOwner, 'view'>): Promise<Job> {
    const job = await this.jobs.find(id);
    if (job === undefined || !(await this.jobs.isSeen(job, view)) || !isPaidFor(job))
      throw new NotFound('You have no job with this id.');
    if (isCancelled(job)) return job;
    if (!this.isCancellable(job)) throw new CancelTooLate();
    if (await this.jobs.askToCancel(id)) await this.settle(job);
    else await this.othersSettle(id);
    const after = await this.jobs.find(id);
    if (isCancelled(after)) return after;
    throw new CancelTooLate();
  }

  /** Asks the provider and stores its answer. True if the job has ended. */
  async settle(job: Job, signal?: AbortSignal): Promise<boolean> {
    const cancellation = await this.ask(job, signal);
    await retryDuringOutage<unknown>(() =>
      cancellation === 'stopped-unbilled'
        ? this.jobs.failed(job.id, 'CANCELLED')
        : this.jobs.runsOn(job.id, cancellation === 'billed'),
    );
    const after = await this.jobs.find(job.id);
    if (after?.status !== 'failed') return after?.status === 'done';
    // A failed job keeps no blob and no money.
    await this.store.drop(after).catch((error: unknown) => this.warn(job, error));
    await this.lateRefunds.giveBack(after);
    return true;
  }

  private async ask(job: Job, signal: AbortSignal | undefined): Promise<Cancellation> {
    const time = AbortSignal.timeout(ASK_MS_MAX);
    const ends = signal === undefined ? time : AbortSignal.any([time, signal]);
    try {
      const { providerRef = '', providerModel = '' } = job;
      return (await this.providerOf(job)?.cancel?.(providerRef, providerModel, ends)) ?? 'unknown';
    } catch (error) {
      this.warn(job, error);
      return 'unknown';
    }
  }

  /** Two concurrent cancellations get one answer. */
  private async othersSettle(id: string): Promise<void> {
    const until = Date.now() + CANCEL_SECONDS_MAX * 1_000;
    while (Date.now() < until && !this.drain.draining) {
      const job = await this.jobs.find(id);
      if (job?.status !== 'running' || job.cancelAskedAt === undefined) return;
      await this.notifier.next(id, POLL_EVERY_MS, this.drain.signal);
    }
  }

  private providerOf({ provider }: Job): MediaProvider | undefined {
    return provider === undefined ? undefined : this.providers.media(provider);
  }

  private warn(job: Job, error: unknown): void {
    this.logger.warn({ err: error, jobId: job.id }, 'The cancellation of a job failed.');
  }
}
