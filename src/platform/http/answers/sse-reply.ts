import { once } from 'node:events';

import type { FastifyReply } from 'fastify';

import { onAbort } from '../../../kernel/abort';
import { withErrorListener } from '../../../kernel/with-error-listener';
import type { MaybePromise } from '../../../kernel/maybe-promise';

/** Too short for a reader to notice. Pieces of a faster model are joined. */
const GAP_MS = 5;
/** The same interval, near the end of the stream. */
const LAST_GAP_MS = 50;

/** Sends server-sent events to the socket, never faster than the reader reads them. */
export class SseReply {
  private readonly ending = new AbortController();
  private left = false;
  /** Pieces that arrive together are sent together, because a write costs more than all other work for a piece. */
  private waiting = '';
  private flushed = 0;
  private isLast = false;

  /** `time` is the limit of a stream. At the last call the stream must end because the service stops. */
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
    // The signal of the last call outlives all streams, and must not keep them in memory.
    for (const limit of [time, lastCall])
      raw.once(
        'close',
        onAbort(limit, () => this.ending.abort()),
      );
  }

  /** Aborted when the stream must end, for any reason. */
  get over(): AbortSignal {
    return this.ending.signal;
  }

  /** Whether the reader has disconnected. */
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
    // Readers wait for the headers, and the first event may be late. Immediate events are sent together with the
    // headers.
    setImmediate(() => this.sayHead());
  }

  add(data: string): void {
    this.write(`data: ${data}\n\n`);
  }

  /** A comment, which readers of events ignore. */
  remark(text: string): void {
    this.write(`: ${text}\n\n`);
  }

  /** An event with a name, and with an id if the stream can be resumed after it. */
  say(event: string, data: string, id?: string): void {
    this.write(`${id === undefined ? '' : `id: ${id}\n`}event: ${event}\ndata: ${data}\n\n`);
  }

  /** The position to resume from, before there is an event. */
  mark(id: string): void {
    this.write(`id: ${id}\n\n`);
  }

  /** A keep-alive comment. A reader that does not read gets none, because the comments would only fill memory. */
  breathe(): void {
    if (!this.reply.raw.writableNeedDrain) this.write(': still here\n\n');
  }

  /** Waits for a reader that has not read everything yet. */
  room(): MaybePromise<void> {
    if (!this.reply.raw.writableNeedDrain || this.left) return undefined;
    return once(this.reply.raw, 'drain', { signal: this.over }).then(
      () => undefined,
      () => {
        // A reader that does not read before the time limit counts as disconnected.
        if (!this.lastCall.aborted) this.hangUp();
      },
    );
  }

  /** Called when only the end remains, and soon: unsent pieces are sent together with it. */
  holdBack(): void {
    this.isLast = this.waiting !== '';
    if (!this.isLast) return;
    setTimeout(() => this.flush(), LAST_GAP_MS).unref();
  }

  end(): void {
    const { raw } = this.reply;
    // An answer that is one write needs no chunked encoding.
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
    // A connection that we cut after the last call was not ended by its reader.
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
