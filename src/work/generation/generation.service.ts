import { Inject, Injectable } from '@nestjs/common';

import { within } from '#kernel/deadline';
import { WorkInDoubt } from '#money/billing/charges/in-doubt.errors';
import type { PaidCall } from '#money/billing/calls/paid-call';
import type { PaidBody } from '#money/billing/calls/paid-body';
import type { MediaModel } from '#models/catalog/catalog-models';
import type { MediaOptions } from '#models/catalog/media-price-calculator';
import { newId } from '#kernel/ids';
import { SsrfGuard } from '#platform/http/outgoing/ssrf-guard';
import { callWebhookOf } from '#notices/webhooks/webhook-url';
import type { Job } from '#work/jobs/job.entity';
import { requireJobRoute } from '#work/jobs/job-route';
import { JobSubmission } from '#work/jobs/job-submission';
import { JobWaiter } from '#work/jobs/job-waiter';
import { JobsService } from '#work/jobs/jobs.service';
import { kindOf } from '#models/providers/media-mode';
import { ProviderFailed } from '#models/providers/providers.errors';
import { ResultBlocked } from '#models/providers/policy/policy.errors';
import { leastResultOf } from './least-result';
import type { PreparedMedia } from './source-media';
import { waitSecondsOf } from '#platform/http/routes/prefer-header';
import { SETTINGS } from '#platform/config/settings';
import type { JobSettings } from '#work/jobs/jobs.settings';
import type { HttpSettings } from '#platform/http/http.settings';

/** The usual duration of a job. The progress is estimated from it if the provider reports none. */
const USUAL_SECONDS = { image: 15, video: 90 } as const;

/** The common fields of media bodies. */
type MediaBody = PaidBody & {
  readonly webhookUrl?: string;
  readonly seed?: number;
  readonly negativePrompt?: string;
};

export interface MediaWork {
  readonly model: MediaModel;
  readonly options: MediaOptions;
  readonly prompt: string;
  readonly size?: string;
}

/**
 * Starts media work. A call for images waits for its result, at most for the synchronous window. A call for a video
 * gets its answer once a provider has accepted the work.
 */
@Injectable()
export class GenerationService {
  constructor(
    private readonly submission: JobSubmission,
    private readonly waiter: JobWaiter,
    private readonly jobs: JobsService,
    private readonly calls: SsrfGuard,
    @Inject(SETTINGS) private readonly settings: HttpSettings & JobSettings,
  ) {}

  /**
   * Returns the job after the wait, done or still running. A job that fails within the window is an error, so the call
   * is never settled. A repeated paid call gets the answer of its job.
   */
  async run(call: PaidCall<MediaBody, PreparedMedia>, work: MediaWork): Promise<Job> {
    requireJobRoute(call);
    const paid = call.charge;
    const windowSeconds = this.settings.http.syncSeconds;
    const until = Date.now() + windowSeconds * 1_000;
    const id =
      paid === undefined
        ? await inTime(this.reading(call, this.begin(call, work)), until)
        : (await this.jobs.ofCharge(paid.id)).id;
    const seconds =
      kindOf(work.model.mode) === 'video'
        ? 0
        : Math.min(windowSeconds, waitSecondsOf(call.request) ?? windowSeconds);
    const left = Math.max(0, until - Date.now());
    const job = await this.waiter.untilEnded(id, Math.min(left, seconds * 1_000));
    if (job?.status === 'failed' && job.blockedCategory !== undefined && paid === undefined)
      throw new ResultBlocked(job.blockedCategory);
    if (job === undefined || (job.status === 'failed' && paid === undefined)) throw new ProviderFailed();
    return job;
  }

  placesOf(job: Job): { readonly url: string; readonly urls: readonly string[] | undefined } {
    return { url: this.jobs.urlOf(job) ?? '', urls: this.jobs.urlsOf(job) };
  }

  running(job: Job): { readonly status: 'running'; readonly jobId: string; readonly poll: string } {
    return { status: 'running', jobId: job.id, poll: `/v1/agent/jobs/${job.id}` };
  }

  /**
   * A submission may outlast the call's wait. It reads the caller's files until it ends, so they must stay until then.
   */
  private reading<T>(call: PaidCall, submission: Promise<T>): Promise<T> {
    call.reading = submission.finally(() => {
      delete call.reading;
    });
    call.reading.catch(() => undefined);
    return submission;
  }

  /** Returns the id of the job, once a provider has accepted it. */
  private async begin(
    call: PaidCall<MediaBody, PreparedMedia>,
    { model, options, prompt, size }: MediaWork,
  ): Promise<string> {
    const id = newId('job');
    const kind = kindOf(model.mode);
    const { media, references } = call.input ?? {};
    call.jobId = id;
    await this.submission.submit(
      {
        id,
        chargeId: call.chargeId ?? '',
        owner: call.payer?.id ?? '',
        kind,
        mode: model.mode,
        modelId: model.id,
        tag: call.body.tag,
        cost: call.priced.cost,
        price: call.price ?? call.priced.list,
        seconds: options.seconds,
        size,
        resultCount: options.n ?? 1,
        leastResult: leastResultOf(model.mode, options, media?.video?.seconds),
        references,
        webhookUrl: callWebhookOf(this.calls, call.body),
        usualSeconds: USUAL_SECONDS[kind],
        deadlineSeconds: model.deadlineSeconds ?? this.settings.media.jobDeadlineSeconds,
      },
      model,
      {
        mode: model.mode,
        prompt,
        ...options,
        ...media,
        seed: call.body.seed,
        negativePrompt: call.body.negativePrompt,
        patienceMs: this.settings.http.syncSeconds * 1_000,
      },
      call.attempts,
    );
    return id;
  }
}

/** Throws `WorkInDoubt` if the wait ends first. The provider may still accept the work, which continues. */
const inTime = <T>(work: Promise<T>, until: number): Promise<T> =>
  within(until - Date.now(), work, () => {
    throw new WorkInDoubt(new Error('The synchronous window is over.'));
  });
