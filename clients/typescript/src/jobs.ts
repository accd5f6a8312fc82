import type { Job, ListedJob, Schemas } from './answers.ts';
import type { Api } from './api.ts';
import type { ChargeState, Known } from './errors.ts';
import { type CallOptions, type JobFilter, type WaitOptions, checkCall, patienceOf } from './options.ts';
import { pause } from './pause.ts';
import type { Request, Sender } from './sender.ts';

const WAIT_SECONDS = 30;
/** The wait of one request if the caller wants progress reports. */
const WATCHED_WAIT_SECONDS = 5;
const POLL_MS = 1_000;
const REFUND_TURNS = 10;

const isJob = (body: object): boolean =>
  /^(running|done|failed)$/.test(String((body as { status?: unknown }).status));

const jobPath = (id: string): string => `/v1/agent/jobs/${encodeURIComponent(id)}`;

/** Work that outlasts its call. */
export class Jobs {
  /** @internal */
  constructor(
    private readonly api: Api,
    private readonly sender: Sender,
  ) {}

  /**
   * The state of a job.
   *
   * @example
   * const { jobId } = await lamppost.start('Waves at night', { duration: 4 });
   * if (jobId) console.log((await lamppost.jobs.get(jobId)).status);
   */
  readonly get = (id: string, options: CallOptions = {}): Promise<Job> => this.api.get(jobPath(id), options);

  /**
   * The jobs of this payer, newest first, page by page as they are read.
   *
   * @example
   * for await (const { id, status } of lamppost.jobs.list({ tag: 'waves' })) console.log(id, status);
   */
  readonly list = (filter: JobFilter = {}): AsyncGenerator<ListedJob, void> => this.pages(filter);

  /**
   * Cancels a job with a refund. If it is too late, the error is `CANCEL_TOO_LATE`.
   *
   * @example
   * const { jobId } = await lamppost.start('A very long film', { duration: 4 });
   * if (jobId) await lamppost.jobs.cancel(jobId);
   */
  readonly cancel = (id: string, options: CallOptions = {}): Promise<ListedJob> =>
    this.api.change('POST', `${jobPath(id)}/cancel`, undefined, options);

  /**
   * Waits until a job has ended: done or failed.
   *
   * @example
   * const { jobId } = await lamppost.start('Waves at night', { duration: 4 });
   * if (jobId) console.log((await lamppost.jobs.wait(jobId, { signal: AbortSignal.timeout(600_000) })).url);
   */
  readonly wait = async (id: string, options: WaitOptions = {}): Promise<Job> => {
    checkCall(options, 'jobs.wait()', 'onProgress');
    return this.awaited(id, options);
  };

  /** The same for a job whose call is known. @internal */
  async awaited(id: string, options: WaitOptions, known?: Known): Promise<Job> {
    const { signal, onProgress } = options;
    let waits: Request['waits'] = known === undefined ? 'new' : 'known';
    const seconds = onProgress === undefined ? WAIT_SECONDS : WATCHED_WAIT_SECONDS;
    for (;;) {
      const asked = Date.now();
      const headers = this.sender.waiting(seconds, options.timeoutMs);
      const more = { ...patienceOf(options), headers, has: isJob, waits, known: { ...known, jobId: id } };
      const job = await this.api.get<Job>(jobPath(id), more);
      waits = 'known';
      if (job.progress !== undefined) onProgress?.(job.progress);
      if (job.status !== 'running') return job;
      // A proxy may answer at once, so the client pauses between requests.
      await pause(Math.max(0, POLL_MS - (Date.now() - asked)), signal);
    }
  }

  private async *pages(filter: JobFilter): AsyncGenerator<ListedJob, void> {
    checkCall(filter, 'jobs.list()', 'status', 'tag');
    const { status, tag } = filter;
    for (let cursor: string | undefined; ;) {
      const query = { status, tag, cursor };
      const page = await this.api.get<Schemas['OwnJobsAnswer']>('/v1/agent/jobs', {
        query,
        has: 'jobs',
        ...patienceOf(filter),
      });
      yield* page.jobs;
      if (page.nextCursor === null) return;
      cursor = page.nextCursor;
    }
  }
}

/** The state of a failed job's money. The refund becomes visible shortly after the failure, so this waits for it. */
export const fateOf = async (
  jobs: Jobs,
  id: string,
  failed: Job,
  signal: AbortSignal | undefined,
): Promise<ChargeState> => {
  let { chargeState } = failed;
  try {
    for (let turn = 0; chargeState === 'charged' && turn < REFUND_TURNS; turn += 1) {
      await pause(POLL_MS, signal);
      ({ chargeState } = await jobs.get(id, { signal }));
    }
  } catch {
    signal?.throwIfAborted(); // The job has failed, even if nobody says what became of its money.
  }
  return chargeState;
};
