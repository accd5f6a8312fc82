import type { Agent, IncomingHttpHeaders } from 'node:http';

import { Pool } from 'undici';

import { agentFor, outgoing } from './outgoing';
import type { OriginCall, WholeCall } from './origin-call';
import { StreamedBody } from './streamed-body';
import { type WholeAnswer, WholeAnswerReader } from './whole-answer';

const KEEP_ALIVE_MS = 10_000;

export interface OriginOptions {
  readonly connections: number;
  readonly connectMsMax: number;
}

export interface StreamedResponse {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  /** The caller must call `leave` or `stop`. */
  readonly body: StreamedBody;
}

/**
 * The client for one outside server: a vendor, a facilitator, an embedder. It reads whole answers with undici, which
 * costs a third of Node's client and never has to pause for them. It reads streams with Node's client, because a slow
 * reader pauses a stream. If the server closes a paused stream, undici's parser throws from a socket event
 * (docs/adr/0038).
 */
export class OriginClient {
  private readonly pool: Pool;
  private readonly agent: Agent;

  constructor(
    private readonly origin: URL,
    private readonly options: OriginOptions,
  ) {
    const { connections, connectMsMax } = options;
    this.pool = new Pool(origin.origin, {
      connections,
      connect: { timeout: connectMsMax },
      keepAliveTimeout: KEEP_ALIVE_MS,
      keepAliveMaxTimeout: KEEP_ALIVE_MS,
    });
    this.agent = agentFor(origin, connections);
  }

  /** Reads the answer whole, at the speed of the server. */
  ask(call: WholeCall): Promise<WholeAnswer> {
    return new Promise((resolve, reject) => {
      const { path, method, headers, body, signal, headersMsMax, silenceMsMax } = call;
      if (signal.aborted) {
        reject(signal.reason as Error);
        return;
      }
      this.pool.dispatch(
        { path, method, headers, body, headersTimeout: headersMsMax, bodyTimeout: silenceMsMax },
        new WholeAnswerReader(call, resolve, reject),
      );
    });
  }

  /** Reads the answer at the speed of its reader; the server waits meanwhile. */
  async open(call: OriginCall): Promise<StreamedResponse> {
    const { path, silenceMsMax, ...rest } = call;
    const answer = await outgoing({
      ...rest,
      url: new URL(path, this.origin),
      agent: this.agent,
      connectMsMax: this.options.connectMsMax,
    });
    return { ...answer, body: new StreamedBody(answer.body, silenceMsMax) };
  }

  async close(): Promise<void> {
    this.agent.destroy();
    await this.pool.destroy();
  }
}
