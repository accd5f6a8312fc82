import { Inject, Injectable, Logger } from '@nestjs/common';

import type { PaidCall } from '#money/billing/calls/paid-call';
import { newId } from '#kernel/ids';
import { retryDuringOutage } from '#platform/database/retry-during-outage';
import type { MediaKind } from '#platform/media/media-kind';
import { NoMedium } from '#platform/media/media-proof';
import { ProviderFailed, WorkGivenUp } from '#models/providers/providers.errors';
import type { Job } from './job.entity';
import { JobLeases } from './job-leases';
import { JobPoller } from './job-poller';
import { requireJobRoute } from './job-route';
import { JobRepository } from './job.repository';
import { STORE_SECONDS_MAX } from './job-times';
import { JobsService } from './jobs.service';
import { MediaStore } from './media-store';
import { SETTINGS } from '#platform/config/settings';
import type { JobSettings } from './jobs.settings';

/** The work has ended at this point; only checking and storing the file remain. */
const USUAL_SECONDS = 5;

/**
 * For paid routes that make a medium without a provider. The medium becomes the job of its charge, so it is checked,
 * stored, shown, refunded and deleted like all media.
 */
@Injectable()
export class InProcessMedia {
  private readonly logger = new Logger(InProcessMedia.name);

  constructor(
    private readonly jobs: JobRepository,
    private readonly poller: JobPoller,
    private readonly store: MediaStore,
    private readonly leases: JobLeases,
    private readonly shown: JobsService,
    @Inject(SETTINGS) private readonly settings: JobSettings,
  ) {}

  /**
   * Returns the address of the medium that `work` makes. It is readable while the call is charged: not before, and not
   * after a refund. A repeated call gets the answer of its job, and `work` does not run again.
   */
  async make(call: PaidCall, kind: MediaKind, work: () => Promise<Buffer>): Promise<string> {
    requireJobRoute(call);
    const job =
      call.charge === undefined
        ? await this.keep(call, kind, await work())
        : await this.shown.ofCharge(call.charge.id);
    return this.shown.urlOf(job) ?? '';
  }

  /**
   * Writes the intent, then the blob, then the blob's row. Another process can then find the blob of a dead process and
   * delete it.
   */
  private async keep(call: PaidCall, kind: MediaKind, data: Buffer): Promise<Job> {
    const job = await this.open(call, kind);
    try {
      const late = AbortSignal.timeout(STORE_SECONDS_MAX * 1_000);
      const media = await this.store.keep(job, [{ data }], () => this.leases.keep(job.id), late);
      await retryDuringOutage(() => this.jobs.done(job.id, media, this.settings.media.retentionDays));
      const ended = await this.find(job.id);
      if (ended.status !== 'done') throw new WorkGivenUp(); // The job has passed its deadline.
      return ended;
    } catch (error) {
      if (error instanceof NoMedium)
        this.logger.error({ err: error, jobId: job.id }, 'Our own result is no medium.');
      // If the job can't be ended now, a poll ends it soon.
      await this.poller
        .abandon(job)
        .catch((failure: unknown) =>
          this.logger.warn({ err: failure, jobId: job.id }, 'A job of our own could not be ended yet.'),
        );
      throw error instanceof NoMedium ? new ProviderFailed(error) : error;
    } finally {
      this.leases.letGo(job.id);
    }
  }

  private async open(call: PaidCall, kind: MediaKind): Promise<Job> {
    const id = newId('job');
    call.jobId = id;
    await this.jobs.open({
      id,
      chargeId: call.chargeId ?? '',
      owner: call.payer?.id ?? '',
      kind,
      mode: call.priced.mode,
      modelId: call.priced.modelId,
      resultCount: 1,
      tag: call.body.tag,
      usualSeconds: USUAL_SECONDS,
      deadlineSeconds: this.settings.media.jobDeadlineSeconds,
    });
    return this.find(id);
  }

  private async find(id: string): Promise<Job> {
    const job = await this.jobs.find(id);
    if (job === undefined) throw new Error(`The job ${id} is gone.`);
    return job;
  }
}
