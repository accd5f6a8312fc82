import { once } from 'node:events';

import type { FastifyReply } from 'fastify';

/** Server-sent events straight to the socket, no faster than the reader reads. */
export class SseReply {
  private readonly gone = new AbortController();

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
    if (!this.gone.signal.aborted && !this.reply.raw.write(`data: ${data}\n\n`)) {
      await once(this.reply.raw, 'drain', { signal: this.gone.signal }).catch(() => undefined);
    }
  }

  end(): void {
    this.reply.raw.end();
  }
}
