import type { Schemas } from './answers.ts';
import { JobFailed } from './errors.ts';
import { type Jobs, fateOf } from './jobs.ts';
import { Medium, toMedia } from './medium.ts';
import { type MediaOptions, paidRequest } from './options.ts';
import type { Paid, Payer } from './payer.ts';
import type { Sender } from './sender.ts';

/** For a film that is read as it comes. */
const READ_MS = 900_000;

/** Pictures and films: begun, waited for, and given to whoever asked. */
export class Making {
  constructor(
    private readonly sender: Sender,
    private readonly payer: Payer,
    private readonly jobs: Jobs,
  ) {}

  async begin(
    call: object,
    { onProgress: _, image, image2, video, ...rest }: MediaOptions,
  ): Promise<Paid<Schemas['MediaDoneAnswer'] | Schemas['MediaRunningAnswer']>> {
    const { signal, idempotencyKey, quoteId, maxPriceMicro, tag, ...wishes } = rest;
    const sources = Object.entries({ image, image2, video }).filter(([, source]) => source !== undefined);
    const media = await Promise.all(sources.map(async ([name, source]) => [name, await toMedia(source!)]));
    const body = { ...call, ...wishes, ...Object.fromEntries(media) } as object;
    const paidOptions = { signal, idempotencyKey, quoteId, maxPriceMicro, tag };
    return this.payer.buy(paidRequest('/v1/agent/generate', body, paidOptions), { maxPriceMicro });
  }

  async make(call: object, options: MediaOptions): Promise<Medium> {
    const { signal, onProgress } = options;
    const paid = await this.begin(call, options);
    const made = (url: string, jobId?: string): Medium =>
      new Medium(url, paid.charge, jobId, (path, more) =>
        this.sender.open({ method: 'GET', path, signal, ...more, follows: true, timeoutMs: READ_MS }),
      );
    if (paid.body.status === 'done') return made(paid.body.url);
    const { jobId } = paid.body;
    const job = await this.jobs.wait(jobId, { signal, onProgress });
    if (job.url !== undefined) return made(job.url, jobId);
    const chargeState = await fateOf(this.jobs, jobId, job, signal);
    if (chargeState === 'refunded') await paid.refund();
    throw new JobFailed(jobId, job.error, chargeState);
  }
}
