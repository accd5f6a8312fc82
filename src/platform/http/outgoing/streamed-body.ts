import type { IncomingHttpHeaders } from 'node:http';

import type { Dispatcher } from 'undici';

import { onAbort } from '#kernel/abort';
import type { HoldingReader, StreamClient } from './held-connection';
import type { OriginCall } from './origin-call';
import { TooSlow } from './outgoing';

/** The time for the rest of an answer after its last event. */
const AFTER_END_MS_MAX = 2_000;
/** The unread bytes at which the server must wait for the reader. */
const UNREAD_BYTES_MAX = 64 * 1024;

export interface StreamedResponse {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  /** The caller must call `leave` or `stop`. */
  readonly body: StreamedBody;
}

/** A body while it is received: each iteration yields all received bytes. A slow reader makes the server wait. */
export class StreamedBody implements AsyncIterable<Buffer>, Dispatcher.DispatchHandler, HoldingReader {
  /** Set by the client of the connection. */
  connection?: Pick<StreamClient, 'hold' | 'release'>;
  private controller: Dispatcher.DispatchController | undefined;
  /** Ends the wait for the head of the answer, and later the silence of the server. */
  private late: NodeJS.Timeout;
  private isSilent = false;
  private isLeft = false;
  private unread: Buffer[] = [];
  private unreadBytes = 0;
  private end: { readonly error?: Error } | undefined;
  private wake: (() => void) | undefined;
  private readonly forget: () => void;

  constructor(
    private readonly call: OriginCall,
    private readonly resolve: (response: StreamedResponse) => void,
    private readonly reject: (error: Error) => void,
  ) {
    this.late = setTimeout(() => this.abort(new TooSlow('The answer')), call.headersMsMax).unref();
    this.forget = onAbort(call.signal, () => this.abort(call.signal.reason as Error));
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<Buffer, void> {
    for (;;) {
      if (this.unread.length > 0) yield this.received();
      else if (this.end === undefined) await new Promise<void>((resolve) => (this.wake = resolve));
      else if (this.end.error === undefined) return;
      else throw this.end.error;
    }
  }

  /** Reads and drops the rest, so that the connection can serve the next call. */
  leave(): void {
    this.isLeft = true;
    if (this.end !== undefined) return;
    this.connection?.release();
    const late = setTimeout(() => this.abort(new TooSlow('The end')), AFTER_END_MS_MAX).unref();
    this.wake = () => clearTimeout(late);
  }

  /** Closes the connection, which also ends the work at the server. After `leave` it has no effect. */
  stop(): void {
    if (!this.isLeft && this.end === undefined) this.abort(new Error('The reader has stopped.'));
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    this.controller = controller;
    if (this.end?.error === undefined) this.call.onSent?.();
    else controller.abort(this.end.error);
  }

  onResponseStart(
    _controller: Dispatcher.DispatchController,
    status: number,
    headers: IncomingHttpHeaders,
  ): void {
    if (status < 200) return; // An informational answer precedes the real one.
    clearTimeout(this.late);
    this.late = setInterval(() => this.endSilence(), this.call.silenceMsMax).unref();
    this.resolve({ status, headers, body: this });
  }

  onResponseData(_controller: Dispatcher.DispatchController, chunk: Buffer): void {
    this.isSilent = false;
    if (this.isLeft) return;
    this.unread.push(chunk);
    this.unreadBytes += chunk.length;
    if (this.unreadBytes >= UNREAD_BYTES_MAX) this.connection?.hold();
    this.wake?.();
  }

  onResponseEnd(): void {
    this.finish({});
  }

  onResponseError(_controller: Dispatcher.DispatchController, error: Error): void {
    this.finish({ error });
  }

  private received(): Buffer {
    const { unread } = this;
    if (this.unreadBytes >= UNREAD_BYTES_MAX) this.connection?.release();
    this.unread = [];
    this.unreadBytes = 0;
    return unread.length === 1 ? unread[0]! : Buffer.concat(unread);
  }

  private abort(error: Error): void {
    this.finish({ error });
    this.controller?.abort(error);
  }

  private finish(end: { readonly error?: Error }): void {
    if (this.end !== undefined) return;
    this.end = end;
    this.forget();
    clearInterval(this.late);
    this.connection?.release(); // The next call may use the connection.
    this.connection = undefined;
    if (end.error !== undefined) this.reject(end.error);
    this.wake?.();
  }

  /** While the reader makes the server wait, the silence of the server does not count. */
  private endSilence(): void {
    if (this.isSilent && this.unread.length === 0) this.abort(new TooSlow('The next piece'));
    this.isSilent = true;
  }
}
