import { Inject, Injectable, type OnModuleInit } from '@nestjs/common';

import { WorkInDoubt } from '#money/billing/charges/in-doubt.errors';
import type { Charge } from '#money/billing/charges/charge.entity';
import type { WorkLookUp } from '#money/billing/charges/operation';
import type { FoundWork } from '#money/billing/charges/charge';
import { EventPresenters } from '#notices/outbox/event-presenters';
import { Clock } from '#kernel/clock';
import { NotFound } from '#kernel/app-error';
import { pageOf } from '#platform/http/routes/page-query';
import { tableOf } from '#platform/database/table';
import { BlobStore } from '#platform/storage/blob-store';
import type { View } from '#people/keys/visible-rows';
import { asShown, isPaidFor, mediaIdsOf, progressOf } from './job';
import { Job, type JobStatus } from './job.entity';
import { JobCanceller } from './job-canceller';
import { reasonOf } from './job-failures';
import { type JobPage, JobRepository } from './job.repository';
import { MediaRepository } from './media.repository';
import type { JobAnswer, JobListAnswer, ListedJob, OwnJob, OwnJobsAnswer } from './jobs.dto';
import { SETTINGS } from '#platform/config/settings';
import type { HttpSettings } from '#platform/http/http.settings';

const JOBS = tableOf(Job);

/** Reads jobs for callers, and reports the outcome of a charge's work to billing. */
@Injectable()
export class JobsService implements OnModuleInit, WorkLookUp {
  constructor(
    private readonly jobs: JobRepository,
    private readonly media: MediaRepository,
    private readonly canceller: JobCanceller,
    private readonly clock: Clock,
    private readonly blobs: BlobStore,
    @Inject(SETTINGS) private readonly settings: HttpSettings,
    private readonly events: EventPresenters,
  ) {}

  onModuleInit(): void {
    this.events.add(['job.accepted', 'job.done', 'job.failed'], (row, at) => {
      const job = JOBS.read({ ...row, chargeState: 'charged' });
      return { id: job.id, ...this.answerOf(job, at) };
    });
  }

  /** The address of the first result. */
  urlOf(job: Job): string | undefined {
    return this.allUrlsOf(job)[0];
  }

  /** The addresses of all results, if the call asked for several. */
  urlsOf(job: Job): readonly string[] | undefined {
    const urls = this.allUrlsOf(job);
    return urls.length > 1 ? urls : undefined;
  }

  allUrlsOf(job: Job): readonly string[] {
    return mediaIdsOf(job).map((id) => `${this.settings.http.publicUrl}/media/${id}`);
  }

  /** The bytes of the finished media, for answers that contain them. */
  allBytesOf(job: Job): Promise<readonly Buffer[]> {
    return Promise.all(mediaIdsOf(job).map((id) => this.bytesOf(id)));
  }

  private async bytesOf(mediaId: string): Promise<Buffer> {
    try {
      const media = await this.media.find(mediaId);
      const blob = media === undefined ? undefined : await this.blobs.get(media.blobKey);
      if (blob === undefined) throw new NotFound('There is no such medium, or its time is up.');
      const chunks: Buffer[] = [];
      for await (const chunk of blob.stream) chunks.push(chunk as Buffer);
      return Buffer.concat(chunks);
    } catch (error) {
      // The medium exists, and a repetition of the call will find it, so an unavailable store causes no refund.
      throw error instanceof NotFound ? error : new WorkInDoubt(error);
    }
  }

  /** The answer for anybody with the job's id. A job that is not charged looks as if it did not exist. */
  async find(id: string): Promise<Job> {
    const job = await this.jobs.find(id);
    if (job === undefined || !isPaidFor(job)) throw new NotFound('There is no job with this id.');
    return asShown(job);
  }

  /** The outcome of a charge's work. */
  async ofCharge(chargeId: string): Promise<Job> {
    const job = await this.jobs.ofCharge(chargeId);
    if (job === undefined) throw new Error(`Charge ${chargeId} was taken for media, and there is no job.`);
    return job;
  }

  answer(job: Job): JobAnswer {
    return this.answerOf(asShown(job));
  }

  async ofOwner(view: View, limit: number): Promise<JobListAnswer> {
    return this.listOf(await this.jobs.ofOwner(view, { limit }));
  }

  async page(view: View, { limit, ...which }: JobPage): Promise<OwnJobsAnswer> {
    const found = await this.jobs.ofOwner(view, { ...which, limit: limit + 1 });
    const { page, nextCursor } = pageOf(found, limit, ({ id }) => id);
    return { jobs: page.map((job) => this.own(job)), nextCursor };
  }

  /** A job as its owner sees it. */
  own(job: Job): OwnJob {
    return { ...this.listed(job), chargeId: job.chargeId };
  }

  listed(job: Job): ListedJob {
    return { id: job.id, ...this.answerOf(asShown(job)) };
  }

  /** The newest jobs of all owners, for operators. */
  async newest(status: JobStatus | undefined, limit: number): Promise<JobListAnswer> {
    return this.listOf(await this.jobs.withStatus(status, limit));
  }

  private listOf(jobs: readonly Job[]): JobListAnswer {
    return { jobs: jobs.map((job) => this.listed(job)) };
  }

  private answerOf(job: Job, now = this.clock.now()): JobAnswer {
    const url = this.urlOf(job);
    return {
      status: job.status,
      url,
      urls: this.urlsOf(job),
      error: job.status === 'failed' ? reasonOf(job) : undefined,
      errorCode: job.errorCode,
      modelId: job.modelId,
      kind: job.kind,
      progress: job.status === 'failed' ? undefined : progressOf(job, now),
      references: job.references,
      cancellable: this.canceller.isCancellable(job),
      tag: job.tag,
      chargeState: job.chargeState,
      createdAt: job.createdAt.toISOString(),
      finishedAt: job.finishedAt?.toISOString(),
    };
  }

  /**
   * An accepted job counts as done: the money is due once the provider has accepted the work. A late failure is
   * refunded.
   */
  async lookUp(charge: Charge): Promise<FoundWork> {
    const job = await this.jobs.ofCharge(charge.id);
    if (job === undefined || job.status === 'failed') return { outcome: 'not-done' };
    const isTaken = job.status === 'done' || job.providerRef !== undefined;
    return { outcome: isTaken ? 'done' : 'unknown', jobId: job.id };
  }
}
