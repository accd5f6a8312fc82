import type { IncomingHttpHeaders } from 'node:http';

import type { Dispatcher } from 'undici';

import { onAbort } from '#kernel/abort';
import type { WholeCall } from './origin-call';

export interface WholeAnswer {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly bytes: Buffer;
  /** Whether the answer is longer than its limit. */
  readonly isCut: boolean;
}

/** Collects one answer. It never pauses undici, because the limit on bytes also limits the memory. */
export class WholeAnswerReader implements Dispatcher.DispatchHandler {
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
    this.status = status; // The final status overwrites an informational one.
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
