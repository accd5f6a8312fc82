import type { IncomingMessage } from 'node:http';

import { TooSlow } from './outgoing';

/** The time for the rest of an answer after its last event. */
const AFTER_END_MS_MAX = 2_000;

/** A body while it is received: each iteration yields all received bytes. A slow reader makes the server wait. */
export class StreamedBody implements AsyncIterable<Buffer> {
  private readonly silence: NodeJS.Timeout;
  private bytesSeen = -1;
  private isLeft = false;

  constructor(
    private readonly answer: IncomingMessage,
    silenceMsMax: number,
  ) {
    this.silence = setInterval(() => this.endSilence(), silenceMsMax).unref();
    answer.once('close', () => clearTimeout(this.silence));
  }

  [Symbol.asyncIterator](): AsyncIterator<Buffer> {
    return this.answer.iterator({ destroyOnReturn: false }) as AsyncIterator<Buffer>;
  }

  /** Reads and drops the rest, so that the connection can serve the next call. */
  leave(): void {
    if (this.answer.closed) return;
    this.isLeft = true;
    const late = setTimeout(() => this.answer.destroy(new TooSlow('The end')), AFTER_END_MS_MAX).unref();
    this.answer.once('close', () => clearTimeout(late)).resume();
  }

  /** Closes the connection, which also ends the work at the server. After `leave` it has no effect. */
  stop(): void {
    if (!this.isLeft) this.answer.destroy();
  }

  /** While the reader has paused the body, the silence of the server does not count. */
  private endSilence(): void {
    const { bytesRead } = this.answer.socket;
    if (bytesRead === this.bytesSeen && this.answer.readableLength === 0) {
      this.answer.destroy(new TooSlow('The next piece'));
    }
    this.bytesSeen = bytesRead;
  }
}
