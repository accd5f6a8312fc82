import { within } from '#kernel/deadline';
import { withoutAbsent } from '#kernel/present';
import { ProviderFault } from '../http/provider-fault';
import {
  type Lookup,
  type MediaRequest,
  type MediaResult,
  type OperationStatus,
  doneWith,
} from '../media-provider';
import type { HeldResult } from './held-result.entity';
import type { HeldResults, MadePictures } from './held-result.repository';

/** Longer than any model needs for its pictures. */
export const PICTURE_MS_MAX = 240_000;
/** Larger than any answer with pictures in base64. */
export const PICTURE_BYTES_MAX = 64 * 1024 * 1024;
/**
 * The time that a submission waits for a quick refusal or a quick picture. After it, the work continues in the
 * background.
 */
const FIRST_MS_MAX = 20_000;
const FIRST_MS_MIN = 250;
/** The time that remains for the answer to the caller, after the work was accepted. */
const ANSWERING_MS = 1_000;
const AWAIT_EVERY_MS = 10_000;

/**
 * For vendors whose answer contains the pictures, after seconds or minutes. A submission waits a while for a refusal.
 * Then the request continues in this process, which stores the pictures for polls of the job. If the process dies, the
 * answer is lost, and the work counts as failed.
 */
export class HeldPictures {
  constructor(
    private readonly results: HeldResults,
    /** Calls the vendor, and waits for the pictures. */
    private readonly ask: (request: MediaRequest) => Promise<MadePictures>,
    private readonly firstMsMax = FIRST_MS_MAX,
  ) {}

  async submit(request: MediaRequest): Promise<{ readonly providerRef: string }> {
    const id = await this.results.open(request.ourId);
    const work = this.made(id, request);
    const patience = Math.max(FIRST_MS_MIN, (request.patienceMs ?? Infinity) - ANSWERING_MS);
    await within(Math.min(this.firstMsMax, patience), work, () => undefined);
    return { providerRef: id };
  }

  /** Whether the provider ref names a row of this class. */
  static holds(providerRef: string): boolean {
    return providerRef.startsWith('held_');
  }

  /**
   * A picture has a row in our table before its request is sent, so this look-up finds it. It finds nothing else, such as a
   * film.
   */
  async lookup(ourId: string): Promise<Lookup> {
    const id = await this.results.idOf(ourId);
    return id === undefined ? { found: 'unknown' } : { found: 'accepted', providerRef: id };
  }

  async status(id: string): Promise<OperationStatus> {
    const held = await this.results.take(id);
    const done = held?.state === 'kept' ? doneWith(picturesIn(held)) : undefined;
    if (done !== undefined) return { ...done, ...withoutAbsent({ cost: held?.cost }) };
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
      // If this write fails, `awaited_until` soon passes, so the work counts as failed anyway.
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
