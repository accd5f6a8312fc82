import { once } from 'node:events';

import type { FastifyReply } from 'fastify';

import { onAbort } from '#kernel/abort';
import { withErrorListener } from '#kernel/with-error-listener';

/** The least interval between two writes, too short for a reader to notice. Pieces that arrive faster are joined. */
const GAP_MS = 5;
/** The same interval, near the end of the stream. */
const LAST_GAP_MS = 50;
/** The unread bytes of all streams of the process at which sources wait for every slow reader. */
const UNREAD_BYTES_MAX = 64 * 1024 * 1024;

let unreadBytes = 0;

/**
 * Sends server-sent events to the socket. It keeps a bounded part for a slow reader, and then waits until the reader has
 * read it.
 */
export class SseReply {
  private readonly ending = new AbortController();
  private left = false;
  private waited = false;
  /**
   * Pieces for the next write. Several pieces share a write, because a write costs more than all other work for a
   * piece.
   */
  private waiting = '';
  private flushed = 0;
  private isLast = false;
  /** The part of `unreadBytes` that belongs to this stream. */
  private counted = 0;

  /** `time` is aborted at the time limit of the stream, and `lastCall` when the service stops. Both end the stream. */
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
    raw.once('close', () => {
      this.count(0);
      if (!raw.writableFinished) this.hangUp();
    });
    // `lastCall` outlives all streams. Its listener is removed with each connection, so it keeps no stream in memory.
    for (const limit of [time, lastCall])
      raw.once(
        'close',
        onAbort(limit, () => {
          this.ending.abort();
          if (raw.writableEnded) raw.destroy(); // The reader has not read the rest in time.
        }),
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

  /** Whether the source of the events had to wait for the reader. */
  get readerWasSlow(): boolean {
    return this.waited;
  }

  open(): void {
    this.reply.hijack();
    void this.reply.headers({
      'content-type': 'text/event-stream; charset=utf-8',
      'cache-control': 'no-store',
      'x-accel-buffering': 'no',
    });
    // Readers wait for the headers, and the first event may be late, so the headers are sent soon. Immediate events
    // share their write.
    setImmediate(() => {
      if (this.waiting === '') this.flushHead();
      else if (!this.isLast) this.flush();
    });
  }

  add(data: string): void {
    this.write(`data: ${data}\n\n`);
  }

  /** A comment, which readers of events ignore. */
  remark(text: string): void {
    this.write(`: ${text}\n\n`);
  }

  /** Sends a header of the answer as a comment, if it became known only after the head was sent. */
  remarkHeader(name: string): void {
    const value = this.reply.getHeader(name);
    if (value !== undefined && this.reply.raw.headersSent) this.remark(`${name} ${String(value)}`);
  }

  /** An event with a name, and with an id if the stream can be resumed after it. */
  sendEvent(event: string, data: string, id?: string): void {
    this.write(`${id === undefined ? '' : `id: ${id}\n`}event: ${event}\ndata: ${data}\n\n`);
  }

  /** Sends the position to resume from before the first event. */
  mark(id: string): void {
    this.write(`id: ${id}\n\n`);
  }

  /** Sends a keep-alive comment. A reader that does not read gets none, because the comments would only fill memory. */
  breathe(): void {
    if (!this.reply.raw.writableNeedDrain) this.write(': still here\n\n');
  }

  /**
   * Waits for a reader that has not read everything yet, if more than `lagBytesMax` are unread, or too many bytes of all
   * readers.
   */
  async room(lagBytesMax = 0): Promise<void> {
    const { writableNeedDrain, writableLength, destroyed } = this.reply.raw;
    this.count(destroyed ? 0 : this.waiting.length + writableLength);
    if (!writableNeedDrain || this.left) return;
    if (writableLength <= lagBytesMax && unreadBytes <= UNREAD_BYTES_MAX) return;
    this.waited = true;
    await once(this.reply.raw, 'drain', { signal: this.over }).catch(() => {
      // A reader that does not read before the time limit counts as disconnected.
      if (!this.lastCall.aborted) this.hangUp();
    });
  }

  /** Must be called shortly before the end of the stream. The unsent pieces then share a write with the end. */
  holdBack(): void {
    this.isLast = this.waiting !== '';
    if (!this.isLast) return;
    setTimeout(() => this.flush(), LAST_GAP_MS).unref();
  }

  end(): void {
    const { raw } = this.reply;
    // If the whole answer is one write, it needs no chunked encoding.
    if (!raw.headersSent) void this.reply.header('content-length', Buffer.byteLength(this.waiting));
    this.writeHead();
    raw.end(this.waiting);
    this.waiting = '';
  }

  private count(unread: number): void {
    unreadBytes += unread - this.counted;
    this.counted = unread;
  }

  private write(text: string): void {
    if (this.reply.raw.destroyed) return;
    if (this.waiting === '') this.flushSoon();
    this.waiting += text;
  }

  private hangUp(): void {
    // After `lastCall` the service itself cuts the connection, so the reader has not disconnected.
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
    this.writeHead();
    this.reply.raw.write(this.waiting);
    this.waiting = '';
  }

  private flushHead(): void {
    if (this.writeHead()) this.reply.raw.flushHeaders();
  }

  /** Node sends the head with the next write. */
  private writeHead(): boolean {
    const { raw } = this.reply;
    if (raw.headersSent || raw.destroyed) return false;
    raw.writeHead(200, this.reply.getHeaders() as Record<string, string>);
    return true;
  }
}
