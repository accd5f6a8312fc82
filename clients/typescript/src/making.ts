import type { ListedJob, Schemas } from './answers.ts';
import type { Api } from './api.ts';
import { CallAborted, type Fate, JobFailed, type Known } from './errors.ts';
import { type Jobs, fateOf } from './jobs.ts';
import { type Files, Medium, type Source, toMedia } from './medium.ts';
import {
  type CallOptions,
  type MediaOptions,
  checkMedia,
  modelOf,
  paidRequest,
  patienceOf,
} from './options.ts';
import { knowing } from './naming.ts';
import { untilAbort } from './on-abort.ts';
import { pause } from './pause.ts';
import type { Paid, Payer } from './payer.ts';
import type { Headers, Request, Sender } from './sender.ts';

/** The time limit for finding and cancelling the job of an aborted call. */
const CANCEL_MS = 5_000;
const LOOK_AGAIN_MS = 250;

type Begun = Paid<Schemas['MediaDoneAnswer'] | Schemas['MediaRunningAnswer']>;

/** Whether an answer has the result of a call, or its job. Other servers answer with a status, too. */
const isBegun = (body: object): boolean => {
  const { status, url, jobId } = body as { readonly [name: string]: unknown };
  return typeof (status === 'done' ? url : jobId) === 'string';
};

/** The options that have a value. An undefined option gets its default. */
const given = <T extends object>(options: T): { [Name in keyof T]: NonNullable<T[Name]> } =>
  Object.fromEntries(Object.entries(options).filter(([, value]) => value !== undefined)) as {
    [Name in keyof T]: NonNullable<T[Name]>;
  };

/** Pictures and films: started, awaited and returned. */
export class Making {
  constructor(
    private readonly sender: Sender,
    private readonly payer: Payer,
    private readonly api: Api,
    private readonly jobs: Jobs,
  ) {}

  async begin(where: string, call: object, options: MediaOptions): Promise<Begun> {
    checkMedia(options, where);
    return this.cancelling(options, (marked) => this.send(call, marked, { Prefer: 'respond-async' }));
  }

  async make(where: string, call: object, options: MediaOptions): Promise<Medium> {
    checkMedia(options, where);
    return this.cancelling(options, async (marked, known) =>
      this.end(await this.send(call, marked), marked, known),
    );
  }

  private async end(begun: Begun, options: MediaOptions, known: Known): Promise<Medium> {
    const { body, charge, refund } = begun;
    const patience = patienceOf(options);
    const jobId = body.status === 'done' ? undefined : body.jobId;
    Object.assign(known, { jobId, chargeId: charge.id } satisfies Known);
    const asked = (path: string, more: CallOptions): Request => ({
      method: 'GET',
      path,
      ...patience,
      ...more,
      follows: true,
      known,
    });
    const made = (url: string, urls: readonly string[] = []): Medium => {
      const files: Files = {
        open: (more) => this.sender.open(asked(url, more)),
        blob: (more) => this.sender.blob(asked(url, more)),
      };
      return new Medium(
        url,
        jobId,
        files,
        begun,
        urls.slice(1).map((other) => made(other)),
      );
    };
    if (body.status === 'done') return made(body.url, body.urls);
    const { onProgress } = options;
    const job = await knowing(known, () => this.jobs.awaited(body.jobId, { ...patience, onProgress }, known));
    if (job.url !== undefined) return made(job.url, job.urls);
    const chargeState = await fateOf(this.jobs, body.jobId, job, options.signal);
    if (chargeState === 'refunded') await refund();
    throw new JobFailed(body.jobId, job.error, chargeState, job.errorCode).know(known);
  }

  private async send(call: object, options: MediaOptions, more: Headers = {}): Promise<Begun> {
    const { image, image2, video, mask, lastFrame, extend, sources, onProgress: _, ...rest } = options;
    const { signal: _s, timeoutMs: _t, tries: _n, onRetry: _r, onResponse: _o, ...said } = rest;
    const { idempotencyKey, quoteId, maxPriceMicro, tag, model: _m, modelId: _id, ...inputs } = said;
    const single = Object.entries(given({ image, image2, video, mask, lastFrame, extend }));
    const sent = (source: Source): Promise<string> => toMedia(source, (url) => this.api.file(url));
    const media = await Promise.all(single.map(async ([name, source]) => [name, await sent(source)]));
    const further = sources && (await Promise.all(sources.map(sent)));
    const body = {
      ...call,
      ...given({ modelId: modelOf(options), ...inputs }),
      ...Object.fromEntries(media),
      ...given({ sources: further }),
    };
    const paid = { ...patienceOf(options), idempotencyKey, quoteId, maxPriceMicro, tag };
    const usual = paidRequest('/v1/agent/generate', body, paid);
    const request = { ...usual, headers: { ...usual.headers, ...more }, has: isBegun };
    return knowing({ idempotencyKey }, () => this.payer.buy(request, { maxPriceMicro }));
  }

  /**
   * Runs a call under one idempotency key. If its caller aborts, this rejects at once. The job is then cancelled, and
   * the outcome of the error says what became of it.
   */
  private async cancelling<T>(
    options: MediaOptions,
    work: (marked: MediaOptions, known: Known) => Promise<T>,
  ): Promise<T> {
    const { signal, idempotencyKey = crypto.randomUUID() } = options;
    const known = { idempotencyKey };
    signal?.throwIfAborted();
    try {
      return await untilAbort(signal, work({ ...options, idempotencyKey }, known));
    } catch (error) {
      if (signal?.aborted !== true || error instanceof JobFailed) throw error;
      throw new CallAborted(known, signal.reason, this.fateAfterAbort(idempotencyKey));
    }
  }

  private async fateAfterAbort(idempotencyKey: string): Promise<Fate> {
    const job = await this.cancel(idempotencyKey).catch(() => undefined);
    await this.payer.decide(idempotencyKey, job?.chargeState).catch(() => undefined);
    return { jobId: job?.id, chargeState: job?.chargeState };
  }

  /** Cancels the job of a call, if there is one, and returns its state. */
  private async cancel(idempotencyKey: string): Promise<ListedJob | undefined> {
    const patience = { signal: AbortSignal.timeout(CANCEL_MS), tries: 2 };
    const find = async (): Promise<ListedJob | undefined> => {
      const query = { idempotencyKey, limit: 1 };
      const page = await this.api.get<Schemas['OwnJobsAnswer']>('/v1/agent/jobs', { query, ...patience });
      return page.jobs[0];
    };
    let job = await find();
    try {
      // The client can cancel a job only after its call is charged. Until then, the call may still answer.
      while (job?.chargeState === 'held') {
        await pause(LOOK_AGAIN_MS, patience.signal);
        job = await find();
      }
      if (job?.status === 'running') await this.jobs.cancel(job.id, patience);
      job = await find();
      while (job?.status === 'failed' && job.chargeState === 'charged') {
        await pause(LOOK_AGAIN_MS, patience.signal);
        job = await find();
      }
    } catch {
      // The job could not be cancelled in time. The error shows its last known state.
    }
    return job;
  }
}
