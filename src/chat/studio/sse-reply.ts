import { once } from 'node:events';

import type { FastifyReply } from 'fastify';

/** Shorter than anybody can notice; a model that is faster than this has its pieces put together. */
const GAP_MS = 5;

/** Server-sent events straight to the socket, no faster than the reader reads. */
export class SseReply {
  private readonly gone = new AbortController();
  /** Pieces that came together leave together: a write costs more than all else that is done for a piece. */
  private waiting = '';
  private flushed = 0;

  constructor(private readonly reply: FastifyReply) {
    reply.raw.once('close', () => {
      if (!reply.raw.writableFinished) this.gone.abort();
    });
  }

  /** Aborted when the reader hangs up. */
  get hungUp(): AbortSignal {
    return this.gone.signal;
  }

  open(): void {
    this.reply.hijack();
    this.reply.raw.writeHead(200, {
      ...(this.reply.getHeaders() as Record<string, string>),
      'content-type': 'text/event-stream; charset=utf-8',
      'cache-control': 'no-store',
      'x-accel-buffering': 'no',
    });
  }

  async send(event: object | '[DONE]'): Promise<void> {
    const data = typeof event === 'string' ? event : JSON.stringify(event);
    const first = this.waiting === '';
    this.waiting += `data: ${data}\n\n`;
    if (first) this.flushSoon();
    if (this.reply.raw.writableNeedDrain && !this.gone.signal.aborted) {
      await once(this.reply.raw, 'drain', { signal: this.gone.signal }).catch(() => undefined);
    }
  }

  end(): void {
    this.flush();
    this.reply.raw.end();
  }

  private flushSoon(): void {
    const left = this.flushed + GAP_MS - performance.now();
    if (left > 0) setTimeout(() => this.flush(), left);
    else setImmediate(() => this.flush());
  }

  private flush(): void {
    this.flushed = performance.now();
    if (this.waiting !== '' && !this.gone.signal.aborted) this.reply.raw.write(this.waiting);
    this.waiting = '';
  }
}
