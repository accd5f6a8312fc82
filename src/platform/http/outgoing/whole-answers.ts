import type { IncomingHttpHeaders } from 'node:http';

import type { Dispatcher, Pool } from 'undici';

import { onAbort } from '../../../kernel/abort';
import { type OriginOptions, poolTo } from './origin-pool';

export interface WholeCall {
  readonly path: string;
  readonly method: Dispatcher.HttpMethod;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string | Buffer;
  /** The caller's own end. */
  readonly signal: AbortSignal;
  readonly headersMsMax: number;
  /** Between two pieces of the answer. */
  readonly silenceMsMax: number;
  /** What comes beyond it is not taken. */
  readonly bytesMax: number;
  /** Told when the first byte is about to leave. A call that fails before has surely not reached anybody. */
  readonly onSent?: () => void;
}

export interface WholeAnswer {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly bytes: Buffer;
  /** There was more than is taken. */
  readonly isCut: boolean;
}

/** Asks one origin, and reads its answers whole, as they come. */
export class WholeAnswers {
  private readonly pool: Pool;

  constructor(origin: URL, options: OriginOptions) {
    this.pool = poolTo(origin, options);
  }

  ask(call: WholeCall): Promise<WholeAnswer> {
    return new Promise((resolve, reject) => {
      const { path, method, headers, body, signal, headersMsMax, silenceMsMax } = call;
      if (signal.aborted) {
        reject(signal.reason as Error);
        return;
      }
      this.pool.dispatch(
        { path, method, headers, body, headersTimeout: headersMsMax, bodyTimeout: silenceMsMax },
        new Asking(call, resolve, reject),
      );
    });
  }

  close(): Promise<void> {
    return this.pool.destroy();
  }
}

/** One call on its way. */
class Asking implements Dispatcher.DispatchHandler {
  private readonly chunks: Buffer[] = [];
  private bytes = 0;
  private status = 0;
  private headers: IncomingHttpHeaders = {};
  private controller?: Dispatcher.DispatchController;
  private readonly forget: () => void;

  constructor(
    private readonly call: WholeCall,
    private readonly resolve: (answer: WholeAnswer) => void,
    private readonly reject: (error: Error) => void,
  ) {
    this.forget = onAbort(call.signal, () => this.stop());
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    this.controller = controller;
    if (this.call.signal.aborted) controller.abort(this.call.signal.reason as Error);
    else this.call.onSent?.();
  }

  onResponseStart(
    _controller: Dispatcher.DispatchController,
    status: number,
    headers: IncomingHttpHeaders,
  ): void {
    this.status = status; // What says only that it goes on is followed by the one that counts.
    this.headers = headers;
  }

  onResponseData(controller: Dispatcher.DispatchController, chunk: Buffer): void {
    this.bytes += chunk.length;
    if (this.bytes <= this.call.bytesMax) {
      this.chunks.push(chunk);
      return;
    }
    this.answer(true);
    controller.abort(new RangeError(`more than ${this.call.bytesMax} bytes`));
  }

  onResponseEnd(): void {
    this.answer(false);
  }

  onResponseError(_controller: Dispatcher.DispatchController, error: Error): void {
    this.forget();
    this.reject(error);
  }

  private answer(isCut: boolean): void {
    this.forget();
    const [only = Buffer.alloc(0)] = this.chunks;
    const bytes = this.chunks.length > 1 ? Buffer.concat(this.chunks) : only;
    this.resolve({ status: this.status, headers: this.headers, bytes, isCut });
  }

  private stop(): void {
    const reason = this.call.signal.reason as Error;
    this.reject(reason);
    this.controller?.abort(reason);
  }
}
