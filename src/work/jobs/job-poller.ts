import { Inject, Injectable, Logger } from '@nestjs/common';

import { ChargeService } from '#money/billing/calls/charge.service';
import { deadlineIn, within } from '#kernel/deadline';
import type { Micro } from '#kernel/money';
import { VendorCosts } from '#money/margins/vendor-costs';
import { BackgroundWork } from '#platform/background/background-work';
import { DatabaseUnavailable } from '#platform/database/database.errors';
import { retryDuringOutage } from '#platform/database/retry-during-outage';
import { LessThanSold, NoMedium } from '#platform/media/media-proof';
import { BlobStoreUnavailable } from '#platform/storage/blob-store.errors';
import { ProvidersMetrics } from '#models/providers/providers.metrics';
import type { MediaProvider, MediaResult } from '#models/providers/media-provider';
import { Providers } from '#models/providers/providers';
import type { Job } from './job.entity';
import { JobCanceller } from './job-canceller';
import { JobLeases } from './job-leases';
import { DueJobsRepository } from './due-jobs.repository';
import { JobRepository, type MadeMedia } from './job.repository';
import type { JobErrorCode } from './job-failures';
import { BACKOFF_MS_MAX, backoff, pace } from './job-pace';
import { pollTimeoutMs } from './job-times';
import { MediaStore } from './media-store';
import { SETTINGS } from '#platform/config/settings';
import { ResultBlocked } from '#models/providers/policy/policy.errors';
import type { JobSettings } from './jobs.settings';

const POLL_SECONDS_MAX = 20;

/** One poll of one job, from the moment when a process takes the job. */
class PollRun {
  readonly late = new AbortController();
  private readonly began = performance.now();

  constructor(
    readonly job: Job,
    /** Called when the provider has answered: later steps do not need it. */
    readonly answered: () => void,
  ) {}

  /** Also true if the deadline passed during this poll, because this poll is the last one before the decision. */
  get isOverdue(): boolean {
    return this.job.overdue || performance.now() - this.began >= this.job.leftMs;
  }

  /**
   * Polls share their timeout unless the job's own deadline is earlier, because a timer costs more than the rest of a
   * poll.
   */
  end(): AbortSignal {
    return pollTimeoutMs(this.job.leftMs) < POLL_SECONDS_MAX * 1_000
      ? this.late.signal
      : deadlineIn(POLL_SECONDS_MAX);
  }
}

/** An error of our own database or store says nothing about the job, even after its deadline. */
const isOurs = (error: unknown): boolean =>
  error instanceof DatabaseUnavailable || error instanceof BlobStoreUnavailable;

/** Polls one job: asks its provider, stores the result, and ends it at its deadline. */
@Injectable()
export class JobPoller {
  private readonly logger = new Logger(JobPoller.name);
  /** Jobs whose results are being copied or wait for a copy, which may outlast the lease of the job. */
  private readonly copying = new Set<string>();

  constructor(
    private readonly jobs: JobRepository,
    private readonly dueJobs: DueJobsRepository,
    private readonly charges: ChargeService,
    private readonly providers: Providers,
    private readonly store: MediaStore,
    private readonly leases: JobLeases,
    private readonly canceller: JobCanceller,
    private readonly metrics: ProvidersMetrics,
    private readonly costs: VendorCosts,
    @Inject(SETTINGS) private readonly settings: JobSettings,
    private readonly background: BackgroundWork,
  ) {}

  /**
   * Polls a job that this process has taken, so no other process polls it. The job is decided at its deadline, whatever
   * its provider does; a poll that ends later has no effect. `answered` is called when the provider has answered and
   * only the copy remains.
   */
  async poll(job: Job, answered: () => void = () => undefined): Promise<void> {
    if (this.copying.has(job.id)) return;
    const provider = job.provider === undefined ? undefined : this.providers.media(job.provider);
    const run = new PollRun(job, answered);
    const { late } = run;
    const step = this.step(run, provider);
    if (provider?.isOurs === true) return step; // No outside party can delay this.
    return within(pollTimeoutMs(job.leftMs), step, async () => {
      late.abort(new Error('The time of the job is up.'));
      step.catch((error: unknown) => this.logger.warn({ err: error, jobId: job.id }, 'A late poll failed.'));
      await this.end(job, provider, 'DEADLINE');
    });
  }

  /** Ends a job that no provider knows, and deletes its blob. A job that is done stays done. */
  abandon(job: Job): Promise<void> {
    return this.end(job, undefined, 'NOT_SUBMITTED');
  }

  private async step(run: PollRun, provider: MediaProvider | undefined): Promise<void> {
    const { job, late } = run;
    try {
      if (job.chargeState === 'released') {
        await this.end(job, provider, 'UNPAID');
      } else if (job.overdue && !(await this.finishedLate(run, provider))) {
        await this.end(job, provider, 'DEADLINE');
      } else if (job.provider === undefined) {
        await this.abandon(job); // Its process died before it asked a provider or stored its own work.
      } else if (provider === undefined) {
        await this.dueJobs.pollLater(job.id, BACKOFF_MS_MAX, undefined); // The provider is switched off for now; the deadline decides.
      } else if (job.providerRef === undefined) {
        await this.lookUp(run, provider);
      } else if (job.cancelAbandoned !== true || !(await this.canceller.settle(job, late.signal))) {
        await this.askStatus(run, job.providerRef, provider);
      }
    } catch (error) {
      await this.dropIfFailed(job.id); // This process may have stored a blob for a job that was decided meanwhile.
      if (late.signal.aborted) throw error;
      this.logger.warn({ err: error, jobId: job.id }, 'A job could not be polled; it is due again later.');
      if (provider !== undefined && !isOurs(error))
        this.metrics.failed(provider.name, 'status', 'unreadable');
      if (run.isOverdue && !isOurs(error)) await this.end(job, provider, 'DEADLINE');
      else await this.tryLater(job, this.pauseAfter(error, job, provider));
    }
  }

  /** The deadline may have passed without a poll; a result that the provider has by now is kept. */
  private async finishedLate(run: PollRun, provider: MediaProvider | undefined): Promise<boolean> {
    const { job } = run;
    if (provider === undefined || job.providerRef === undefined) return false;
    return provider.status(job.providerRef, job.providerModel ?? '', run.end()).then(
      ({ state }) => state === 'done',
      (error: unknown) => {
        if (isOurs(error)) throw error;
        return false;
      },
    );
  }

  /** The answer to the submission was lost, so only the provider knows whether it accepted the work. */
  private async lookUp(run: PollRun, provider: MediaProvider): Promise<void> {
    const { job } = run;
    const answer = await provider.lookup(job.id, job.providerModel ?? '', run.end());
    switch (answer.found) {
      case 'accepted':
        await this.jobs.accepted(job.id, answer.providerRef, provider.pollMs);
        break;
      case 'nothing':
        await this.jobs.failed(job.id, 'NOT_SUBMITTED');
        break;
      case 'unknown':
        if (run.isOverdue) return this.end(job, provider, 'DEADLINE');
        return this.dueJobs.pollLater(job.id, backoff(job, provider), undefined);
    }
    await this.charges.decideSoon(job.chargeId);
  }

  private async askStatus(run: PollRun, providerRef: string, provider: MediaProvider): Promise<void> {
    const { job } = run;
    const started = performance.now();
    const status = await provider
      .status(providerRef, job.providerModel ?? '', run.end())
      .finally(() => this.metrics.answered(provider.name, 'status', (performance.now() - started) / 1_000));
    switch (status.state) {
      case 'running':
        if (run.isOverdue) return this.end(job, provider, 'DEADLINE');
        await this.dueJobs.pollLater(job.id, pace(job, provider), status.progress);
        return;
      case 'failed':
        return this.failed(job, provider);
      case 'done': {
        if (!this.store.hasRoomFor(job) && !run.isOverdue)
          return this.dueJobs.pollLater(job.id, pace(job, provider), undefined);
        run.answered();
        // The sandbox draws small films.
        const sold = provider.isOurs ? { ...job, leastResult: undefined } : job;
        const media = await this.keep(sold, [status.result, ...(status.further ?? [])], run.late.signal);
        if (media === undefined) return this.failed(job, provider);
        if (media instanceof Error) return this.refused(job, provider, media, status.cost);
        // This comes before the job ends, because a finished job is never polled again.
        if (status.cost !== undefined) await this.charges.billed(job.chargeId, status.cost);
        const ended = await this.jobs.done(job.id, media, this.settings.media.retentionDays);
        if (ended) this.noteCost(job, provider, status.cost);
        else await this.dropIfFailed(job.id); // Another process has ended the job meanwhile.
      }
    }
  }

  private noteCost(job: Job, { name }: MediaProvider, reported: Micro | undefined): void {
    const cost = reported ?? job.cost; // A job of the previous version has no cost.
    if (cost === undefined) return;
    const { modelId, providerModel = '' } = job;
    this.costs.note({ provider: name, providerModel, modelId, cost, isReported: reported !== undefined });
  }

  /** Undefined if a result is missing or is no medium of that kind. */
  private async keep(
    job: Job,
    results: readonly MediaResult[],
    late: AbortSignal,
  ): Promise<readonly MadeMedia[] | ResultBlocked | LessThanSold | undefined> {
    const begun = (): Promise<void> => this.leases.keep(job.id);
    this.copying.add(job.id);
    try {
      return await this.store.keep(job, results, begun, late);
    } catch (error) {
      if (error instanceof ResultBlocked) return error;
      if (!(error instanceof NoMedium)) throw error;
      this.logger.warn(
        { err: error, jobId: job.id },
        'A result was missing, no medium, or less than sold; the job has failed.',
      );
      return error instanceof LessThanSold ? error : undefined;
    } finally {
      this.copying.delete(job.id);
      this.leases.letGo(job.id);
    }
  }

  private async failed(job: Job, provider: MediaProvider): Promise<void> {
    this.metrics.failed(provider.name, 'job', 'failed');
    await this.jobs.failed(job.id, 'PROVIDER_FAILED');
    await this.dropIfFailed(job.id);
  }

  /** The vendor has made the result and bills it, but the caller gets a refund. */
  private async refused(
    job: Job,
    provider: MediaProvider,
    why: ResultBlocked | LessThanSold,
    cost: Micro | undefined,
  ): Promise<void> {
    if (cost !== undefined) await this.charges.billed(job.chargeId, cost);
    const ended =
      why instanceof ResultBlocked
        ? await this.jobs.failed(job.id, 'POLICY_BLOCKED', why.category)
        : await this.jobs.failed(job.id, 'PROVIDER_FAILED');
    if (ended) this.noteCost(job, provider, cost);
    await this.dropIfFailed(job.id);
  }

  /**
   * A failed job keeps no blob. A late success, or a process that died before it recorded its blob, may have left one.
   */
  private async dropIfFailed(id: string): Promise<void> {
    try {
      const job = await retryDuringOutage(() => this.jobs.find(id));
      if (job?.status === 'failed') await this.store.drop(job);
    } catch (error) {
      this.logger.warn({ err: error, jobId: id }, 'The blob of a failed job could not be deleted.');
    }
  }

  private async end(job: Job, provider: MediaProvider | undefined, code: JobErrorCode): Promise<void> {
    const ended = await this.jobs.failed(job.id, code);
    // It is now certain that no provider accepted the job.
    if (ended && job.providerRef === undefined) await this.charges.decideSoon(job.chargeId);
    if (ended && job.providerRef !== undefined) {
      // Runs in the background, so that a slow provider delays no other job.
      const { providerRef, providerModel } = job;
      this.background.detach(`Stopping overdue jobs at ${job.provider}`, async () =>
        provider?.stop(providerRef, providerModel ?? '', deadlineIn(POLL_SECONDS_MAX)),
      );
    }
    await this.dropIfFailed(job.id);
  }

  /** During an outage this statement fails, too. The job is then due when the database is back, not after its lease. */
  private async tryLater(job: Job, pauseMs: number): Promise<void> {
    try {
      await this.dueJobs.pollLater(job.id, pauseMs, undefined);
    } catch (error) {
      if (!isOurs(error)) throw error;
      this.leases.giveBack(job.id);
    }
  }

  /** After an outage of the database, a job waits only its usual interval: other polls failed as well. */
  private pauseAfter(error: unknown, job: Job, provider: MediaProvider | undefined): number {
    const isPassing = error instanceof DatabaseUnavailable && provider !== undefined;
    return isPassing ? pace(job, provider) : backoff(job, provider);
  }
}
