import { onAbort } from './on-abort.ts';

/** Ends the timeout of a try after its answer has arrived. */
export interface Ending {
  end(): void;
  /** Returns the same answer. Its body fails if no data arrives for the time of the timeout. */
  watching(response: Response): Response;
}

/**
 * The timeout of one try, joined with the caller's signal. `AbortSignal.any` would do this in one line. But Node 20
 * garbage-collects the joined signals during a wait, and then nothing ends the call.
 */
export class TryDeadline implements Ending {
  private readonly controller = new AbortController();
  private timer: ReturnType<typeof setTimeout> | undefined;
  private readonly leave: () => void;

  constructor(
    private readonly ms: number,
    caller: AbortSignal | undefined,
  ) {
    const stop = (): void => this.controller.abort(caller?.reason);
    if (caller?.aborted === true) stop();
    this.leave = onAbort(caller, stop);
    this.begin();
  }

  get signal(): AbortSignal {
    return this.controller.signal;
  }

  end(): void {
    clearTimeout(this.timer);
    this.leave();
  }

  watching(response: Response): Response {
    clearTimeout(this.timer);
    const reader = response.body?.getReader();
    if (reader === undefined) {
      this.end();
      return response;
    }
    const body = new ReadableStream<Uint8Array>(
      {
        pull: async (controller) => {
          this.begin();
          try {
            const { done, value } = await reader.read();
            clearTimeout(this.timer);
            if (!done) {
              controller.enqueue(value);
              return;
            }
            controller.close();
          } catch (error) {
            controller.error(this.signal.aborted ? this.signal.reason : error);
          }
          this.end();
        },
        cancel: async (reason) => {
          this.end();
          await reader.cancel(reason);
        },
      },
      { highWaterMark: 0 },
    );
    const { status, statusText, headers } = response;
    return new Response(body, { status, statusText, headers });
  }

  private begin(): void {
    clearTimeout(this.timer);
    this.timer = setTimeout(() => {
      const message = `No answer for ${this.ms} ms.`;
      this.controller.abort(new DOMException(message, 'TimeoutError'));
    }, this.ms);
  }
}
