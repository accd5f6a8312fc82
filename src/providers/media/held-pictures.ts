import { setTimeout as pause } from 'node:timers/promises';

import { ProviderFault } from '../http/provider-fault';
import type { MediaRequest, OperationStatus } from '../media-provider';
import type { HeldResults } from '../openai/held-result.repository';

/** Longer than the slowest picture takes. */
export const PICTURE_MS_MAX = 240_000;
/** A picture in base64, with room to spare. */
export const PICTURE_BYTES_MAX = 64 * 1024 * 1024;
/** How long a submission waits for a quick no, or a quick picture; after that the work goes on by itself. */
const FIRST_MS_MAX = 20_000;
const FIRST_MS_MIN = 250;
/** The time to answer a caller once the work is taken. */
const ANSWERING_MS = 1_000;
const AWAIT_EVERY_MS = 10_000;

/**
 * Pictures come as the answer of the call that asks for them, after anything from a second to minutes. So the submission
 * waits a while for a refusal. Then the call goes on in this process, and its picture is stored for a look at the job.
 * When the process dies, nobody awaits the answer any more, and the work counts as failed.
 */
export class HeldPictures {
  constructor(
    private readonly results: HeldResults,
    /** Asks the vendor, and waits for the picture. */
    private readonly ask: (request: MediaRequest) => Promise<Buffer>,
    private readonly firstMsMax = FIRST_MS_MAX,
  ) {}

  async submit(request: MediaRequest): Promise<{ readonly providerRef: string }> {
    const id = await this.results.open(request.ourId);
    const work = this.made(id, request);
    work.catch(() => undefined); // After the wait below nobody else listens.
    const patience = Math.max(FIRST_MS_MIN, (request.patienceMs ?? Infinity) - ANSWERING_MS);
    await Promise.race([work, pause(Math.min(this.firstMsMax, patience), undefined, { ref: false })]);
    return { providerRef: id };
  }

  /** Whether work has its picture here. */
  static holds(providerRef: string): boolean {
    return providerRef.startsWith('held_');
  }

  async status(id: string): Promise<OperationStatus> {
    const held = await this.results.take(id);
    if (held?.state === 'kept' && held.data !== undefined)
      return { state: 'done', result: { data: held.data } };
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
      // A row that can't be marked now is not awaited any more soon, which says the same.
      await (untaken ? this.results.forget(id) : this.results.fail(id)).catch(() => undefined);
      throw error;
    } finally {
      clearInterval(awaiting);
    }
  }
}
