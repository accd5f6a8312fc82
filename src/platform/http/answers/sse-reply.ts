import { once } from 'node:events';

import type { FastifyReply } from 'fastify';

import { onAbort } from '../../../kernel/abort';
import { withErrorListener } from '../../../kernel/with-error-listener';
import type { MaybePromise } from '../../../kernel/maybe-promise';

/** Shorter than anybody can notice; a model that is faster than this has its pieces put together. */
const GAP_MS = 5;
/** As much before the end. */
const LAST_GAP_MS = 50;

/** Server-sent events straight to the socket, no faster than the reader reads. */
export class SseReply {
  private readonly ending = new AbortController();
  private left = false;
  /** Pieces that came together leave together: a write costs more than all else that is done for a piece. */
  private waiting = '';
  private flushed = 0;
  private isLast = false;

  /** `time` is what a stream may take; at the last call it must end because the service does. */
  constructor(
    private readonly reply: FastifyReply,
    time: AbortSignal,
    private readonly lastCall: AbortSignal,
  ) {
    const { raw } = reply;
    withErrorListener(raw);
    if (raw.destroyed) {
      this.hangUp();
      return;
    }
    raw.once('close', () => raw.writableFinished || this.hangUp());
    // The last call outlives all streams, and must not remember them.
    for (const limit of [time, lastCall])
      raw.once(
        'close',
        onAbort(limit, () => this.ending.abort()),
      );
  }

  /** Aborted when the stream must not go on, for whatever reason. */
  get over(): AbortSignal {
    return this.ending.signal;
  }

  /** Whether it is over because of the reader. */
  get hungUp(): boolean {
    return this.left;
  }

  open(): void {
    this.reply.hijack();
    void this.reply.headers({
      'content-type': 'text/event-stream; charset=utf-8',
      'cache-control': 'no-store',
      'x-accel-buffering': 'no',
    });
    // Readers wait for the headers, and there may be nothing to say for long. What is said at once leaves with them.
    setImmediate(() => this.sayHead());
  }

  add(data: string): void {
    this.write(`data: ${data}\n\n`);
  }

  /** An event with a name, and with an id where the stream can be taken up again behind it. */
  say(event: string, data: string, id?: string): void {
    this.write(`${id === undefined ? '' : `id: ${id}\n`}event: ${event}\ndata: ${data}\n\n`);
  }

  /** From where the stream can be taken up before it has said anything. */
  mark(id: string): void {
    this.write(`id: ${id}\n\n`);
  }

  /** A sign of life. A reader who takes nothing gets none: it would only pile up. */
  breathe(): void {
    if (!this.reply.raw.writableNeedDrain) this.write(': still here\n\n');
  }

  /** Waits for a reader who has not taken what was written. */
  room(): MaybePromise<void> {
    if (!this.reply.raw.writableNeedDrain || this.left) return undefined;
    return once(this.reply.raw, 'drain', { signal: this.over }).then(
      () => undefined,
      () => {
        // Who stands still until the time is up has left as well.
        if (!this.lastCall.aborted) this.hangUp();
      },
    );
  }

  /** Only the end is still to be said, and soon: what has not left yet leaves with it. */
  holdBack(): void {
    this.isLast = this.waiting !== '';
    if (!this.isLast) return;
    setTimeout(() => this.flush(), LAST_GAP_MS).unref();
  }

  end(): void {
    const { raw } = this.reply;
    // What is said in one write needs no chunks.
    if (!raw.headersSent) void this.reply.header('content-length', Buffer.byteLength(this.waiting));
    this.sayHead();
    raw.end(this.waiting);
    this.waiting = '';
  }

  private write(text: string): void {
    if (this.reply.raw.destroyed) return;
    if (this.waiting === '') this.flushSoon();
    this.waiting += text;
  }

  private hangUp(): void {
    // Connections that are cut after the last call are no fault of those who read.
    this.left = !this.lastCall.aborted;
    this.ending.abort();
    this.waiting = '';
    this.reply.raw.destroy();
  }

  private flushSoon(): void {
    const left = this.flushed + GAP_MS - performance.now();
    const flush = (): void => {
      if (!this.isLast) this.flush();
    };
    if (left > 0) setTimeout(flush, left);
    else setImmediate(flush);
  }

  private flush(): void {
    this.flushed = performance.now();
    if (this.waiting === '') return;
    this.sayHead();
    this.reply.raw.write(this.waiting);
    this.waiting = '';
  }

  private sayHead(): void {
    const { raw } = this.reply;
    if (raw.headersSent || raw.destroyed) return;
    raw.writeHead(200, this.reply.getHeaders() as Record<string, string>);
    raw.flushHeaders();
  }
}
