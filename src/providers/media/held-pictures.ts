import { setTimeout as pause } from 'node:timers/promises';

import { ProviderFault } from '../http/provider-fault';
import { type MediaRequest, type MediaResult, type OperationStatus, doneWith } from '../media-provider';
import type { HeldResult } from '../openai/held-result.entity';
import type { HeldResults } from '../openai/held-result.repository';

/** Longer than the slowest picture takes. */
export const PICTURE_MS_MAX = 240_000;
/** The size of a picture in base64, with a reserve. */
export const PICTURE_BYTES_MAX = 64 * 1024 * 1024;
/**
 * How long a submission waits for a quick refusal or a quick picture. After that, the work continues in the background.
 */
const FIRST_MS_MAX = 20_000;
const FIRST_MS_MIN = 250;
/** The time for the answer to the caller after the work was accepted. */
const ANSWERING_MS = 1_000;
const AWAIT_EVERY_MS = 10_000;

/**
 * For vendors that answer a request with the pictures, after seconds or minutes. The submission first waits a while for
 * a refusal. Then the request continues in this process, and its picture is stored for polls of the job. If the process
 * dies, the answer is lost, and the work counts as failed.
 */
export class HeldPictures {
  constructor(
    private readonly results: HeldResults,
    /** Calls the vendor, and waits for the pictures. */
    private readonly ask: (request: MediaRequest) => Promise<readonly Buffer[]>,
    private readonly firstMsMax = FIRST_MS_MAX,
  ) {}

  async submit(request: MediaRequest): Promise<{ readonly providerRef: string }> {
    const id = await this.results.open(request.ourId);
    const work = this.made(id, request);
    work.catch(() => undefined); // Nothing else handles a failure after the wait below.
    const patience = Math.max(FIRST_MS_MIN, (request.patienceMs ?? Infinity) - ANSWERING_MS);
    await Promise.race([work, pause(Math.min(this.firstMsMax, patience), undefined, { ref: false })]);
    return { providerRef: id };
  }

  /** Whether this class holds the pictures of the work. */
  static holds(providerRef: string): boolean {
    return providerRef.startsWith('held_');
  }

  async status(id: string): Promise<OperationStatus> {
    const held = await this.results.take(id);
    const done = held?.state === 'kept' ? doneWith(picturesIn(held)) : undefined;
    if (done !== undefined) return done;
    if (held?.state === 'waiting' && held.awaited) return { state: 'running' };
    return { state: 'failed', reason: 'its answer is lost' };
  }

  private async made(id: string, request: MediaRequest): Promise<void> {
    const awaiting = setInterval(() => {
      this.results.await(id).catch(() => undefined);
    }, AWAIT_EVERY_MS);
    awaiting.unref();
    try {
      await this.results.keep(id, await this.ask(request));
    } catch (error) {
      const untaken = error instanceof ProviderFault && error.outcome !== 'unknown';
      // If this write fails, the row soon counts as no longer awaited, which has the same effect.
      await (untaken ? this.results.forget(id) : this.results.fail(id)).catch(() => undefined);
      throw error;
    } finally {
      clearInterval(awaiting);
    }
  }
}

const picturesIn = ({ data, lengths }: HeldResult): readonly MediaResult[] => {
  if (data === undefined || lengths === undefined) return data === undefined ? [] : [{ data }];
  let from = 0;
  return lengths.map((length) => ({ data: data.subarray(from, (from += length)) }));
};
