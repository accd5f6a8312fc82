import { Pool } from 'undici';

import { type HeldCall, StreamClient } from './held-connection';
import type { OriginCall, WholeCall } from './origin-call';
import { StreamedBody, type StreamedResponse } from './streamed-body';
import { type WholeAnswer, WholeAnswerReader } from './whole-answer';

const KEEP_ALIVE_MS = 10_000;

export interface OriginOptions {
  readonly connections: number;
  readonly connectMsMax: number;
}

/**
 * The client for one outside server, such as a vendor. It reads whole answers at the speed of the
 * server. The connections of streams can be held, because a slow reader makes the server wait.
 */
export class OriginClient {
  private readonly whole: Pool;
  private readonly streams: Pool;

  constructor(origin: URL, { connections, connectMsMax }: OriginOptions) {
    const options = {
      connections,
      keepAliveTimeout: KEEP_ALIVE_MS,
      keepAliveMaxTimeout: KEEP_ALIVE_MS,
    };
    this.whole = new Pool(origin.origin, { ...options, connect: { timeout: connectMsMax } });
    this.streams = new Pool(origin.origin, {
      ...options,
      factory: (to, each: object) => new StreamClient(to, { ...each, connectMsMax }),
    });
  }

  /** Reads the answer whole, at the speed of the server. */
  ask(call: WholeCall): Promise<WholeAnswer> {
    return new Promise((resolve, reject) => {
      const { path, method, headers, body, signal, headersMsMax, silenceMsMax } = call;
      if (signal.aborted) {
        reject(signal.reason as Error);
        return;
      }
      this.whole.dispatch(
        { path, method, headers, body, headersTimeout: headersMsMax, bodyTimeout: silenceMsMax },
        new WholeAnswerReader(call, resolve, reject),
      );
    });
  }

  /** Reads the answer at the speed of its reader; the server waits meanwhile. */
  open(call: OriginCall): Promise<StreamedResponse> {
    return new Promise((resolve, reject) => {
      const { path, method, headers, body, signal } = call;
      if (signal.aborted) {
        reject(signal.reason as Error);
        return;
      }
      const reader = new StreamedBody(call, resolve, reject);
      // The body measures both times itself. undici counts no wait for a connection, and starts again after each
      // informational answer. The silence does not count while the server waits.
      const held: HeldCall = {
        path,
        method,
        headers,
        body,
        headersTimeout: 0,
        bodyTimeout: 0,
        reader,
      };
      this.streams.dispatch(held, reader);
    });
  }

  async close(): Promise<void> {
    await Promise.all([this.whole.destroy(), this.streams.destroy()]);
  }
}
