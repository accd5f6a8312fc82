import type { IncomingHttpHeaders } from 'node:http';

import type { Dispatcher, Pool } from 'undici';

import { onAbort } from '../../../kernel/abort';
import { type OriginOptions, Valve, poolTo } from './origin-pool';
import { TooSlow } from './outgoing';
import type { WholeCall } from './whole-answers';

/** As much may wait for its reader here; the rest waits in the socket, and then at the other side. */
const WAITING_BYTES_MAX = 64 * 1024;
/** What comes after the end of what is read has so much time to end as well. */
const AFTER_END_MS_MAX = 2_000;

type StreamedCall = Omit<WholeCall, 'bytesMax'>;

export interface StreamedAnswer {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  /** Must be left or stopped. */
  readonly body: StreamedBody;
}

/** A body as it comes: each turn gives all that is there. */
export interface StreamedBody extends AsyncIterable<Buffer> {
  /** What still comes is let pass, so that the connection can serve the next call. */
  leave(): void;
  /** Ends the work at the other side, too, unless the body was left. */
  stop(): void;
}

/** Asks one origin, whose answers are read at somebody's pace. */
export class StreamedAnswers {
  private readonly pool: Pool;

  constructor(origin: URL, options: OriginOptions) {
    this.pool = poolTo(origin, options);
  }

  open(call: StreamedCall): Promise<StreamedAnswer> {
    return new Promise((resolve, reject) => {
      const { path, method, headers, body, signal, headersMsMax } = call;
      if (signal.aborted) {
        reject(signal.reason as Error);
        return;
      }
      this.pool.dispatch(
        // Silence is ours to notice: undici would take a reader who takes his time for it.
        { path, method, headers, body, headersTimeout: headersMsMax, bodyTimeout: 0 },
        new Coming(call, resolve, reject),
      );
    });
  }

  close(): Promise<void> {
    return this.pool.destroy();
  }
}

/** One answer on its way. */
class Coming implements Dispatcher.DispatchHandler, StreamedBody {
  private controller?: Dispatcher.DispatchController;
  private valve?: Valve;
  private silence?: NodeJS.Timeout;
  private chunks: Buffer[] = [];
  private waiting = 0;
  private isSilent = false;
  private isLeft = false;
  /** How it ended, once it has. */
  private end?: { readonly error?: Error };
  private wake?: () => void;
  private readonly forget: () => void;

  constructor(
    private readonly call: StreamedCall,
    private readonly resolve: (answer: StreamedAnswer) => void,
    private readonly reject: (error: Error) => void,
  ) {
    this.forget = onAbort(call.signal, () => this.break(call.signal.reason as Error));
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    this.controller = controller;
    if (this.end === undefined) this.call.onSent?.();
    else controller.abort(this.end.error!);
  }

  onResponseStart(
    _controller: Dispatcher.DispatchController,
    status: number,
    headers: IncomingHttpHeaders,
  ): void {
    if (status < 200) return; // It says only that it goes on.
    this.valve = Valve.current;
    this.silence = setInterval(() => this.listen(), this.call.silenceMsMax).unref();
    this.resolve({ status, headers, body: this });
  }

  onResponseData(_controller: Dispatcher.DispatchController, chunk: Buffer): void {
    this.isSilent = false;
    if (this.isLeft) return;
    this.chunks.push(chunk);
    this.waiting += chunk.length;
    if (this.waiting > WAITING_BYTES_MAX) this.valve?.shut();
    this.wake?.();
  }

  onResponseEnd(): void {
    this.over({});
  }

  onResponseError(_controller: Dispatcher.DispatchController, error: Error): void {
    this.over({ error });
  }

  [Symbol.asyncIterator](): AsyncIterator<Buffer> {
    return this;
  }

  async next(): Promise<IteratorResult<Buffer>> {
    while (this.chunks.length === 0 && this.end === undefined) {
      await new Promise<void>((resolve) => (this.wake = resolve));
    }
    const { chunks } = this;
    if (chunks.length === 0) {
      if (this.end?.error !== undefined) throw this.end.error;
      return { done: true, value: undefined };
    }
    this.chunks = [];
    this.waiting = 0;
    this.valve?.open();
    return { done: false, value: chunks.length === 1 ? chunks[0]! : Buffer.concat(chunks) };
  }

  leave(): void {
    if (this.end !== undefined) return;
    this.isLeft = true;
    this.chunks = [];
    this.valve?.open();
    clearInterval(this.silence);
    this.silence = setTimeout(() => this.break(new TooSlow('The end')), AFTER_END_MS_MAX).unref();
  }

  stop(): void {
    if (this.end === undefined && !this.isLeft) this.break(new Error('Nobody reads it any more.'));
  }

  private listen(): void {
    if (this.isSilent) this.break(new TooSlow('The next piece'));
    this.isSilent = this.chunks.length === 0; // A reader who takes his time is no silence.
  }

  private break(error: Error): void {
    if (this.end !== undefined) return;
    this.over({ error });
    this.controller?.abort(error);
  }

  private over(end: { readonly error?: Error }): void {
    this.end ??= end;
    this.forget();
    clearTimeout(this.silence);
    this.valve?.open();
    if (end.error !== undefined) this.reject(end.error);
    this.wake?.();
  }
}
