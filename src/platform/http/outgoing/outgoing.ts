import {
  type ClientRequest,
  type IncomingMessage,
  type RequestOptions,
  Agent,
  request as overHttp,
} from 'node:http';
import { Agent as SecureAgent, request as overHttps } from 'node:https';
import type { Socket } from 'node:net';

import { onAbort } from '#kernel/abort';
import { OutsideFailure } from '#kernel/outside-failure';
import { withErrorListener } from '#kernel/with-error-listener';
import { withoutAbsent } from '#kernel/present';

const KEEP_ALIVE_MS = 10_000;

/** One call to an outside server. */
export interface OutgoingCall {
  readonly url: URL;
  readonly method: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string | Buffer;
  /** The caller's own abort signal. It aborts the body as well. */
  readonly signal: AbortSignal;
  readonly connectMsMax: number;
  readonly headersMsMax: number;
  readonly headerBytesMax?: number;
  /** The pool of its connections. Without a pool, each call has a new connection. */
  readonly agent?: Agent;
  /** Opens the connection instead of Node's own function. */
  readonly dial?: Pick<RequestOptions, 'lookup' | 'createConnection'>;
  /**
   * The client calls this just before it sends the first byte. A call that fails before this has certainly reached no
   * server.
   */
  readonly onSent?: () => void;
}

export interface OutgoingAnswer {
  readonly status: number;
  readonly headers: IncomingMessage['headers'];
  /** The caller must read it to its end or destroy it. It needs no error listener. */
  readonly body: IncomingMessage;
}

/** No byte was transferred within the time limit. */
export class TooSlow extends OutsideFailure {
  constructor(what: string) {
    super(`${what} took too long`);
    this.name = 'TooSlow';
  }
}

/**
 * Calls an outside server. It uses Node's own client. If a server closes a stream that a slow reader has paused,
 * undici's parser throws, and this would end the process (docs/adr/0156).
 */
export const outgoing = (call: OutgoingCall): Promise<OutgoingAnswer> =>
  new Promise((resolve, reject) => {
    const { url, signal, agent, dial } = call;
    if (signal.aborted) {
      reject(signal.reason as Error);
      return;
    }
    const ask = url.protocol === 'https:' ? overHttps : overHttp;
    const { body } = call;
    const length = body === undefined ? undefined : Buffer.byteLength(body);
    // `request` throws synchronously if a header can't be written.
    const request = ask({
      protocol: url.protocol,
      hostname: url.hostname.replace(/^\[|\]$/g, ''),
      port: url.port,
      path: `${url.pathname}${url.search}`,
      method: call.method,
      headers: withoutAbsent({ host: url.host, ...call.headers, 'content-length': length }),
      maxHeaderSize: call.headerBytesMax,
      // Without `agent: false`, Node would use its global agent here. With a connect function it uses none in any case.
      ...(agent === undefined && dial?.createConnection === undefined ? { agent: false } : { agent }),
      ...dial,
    });
    withErrorListener(request);
    const late = setTimeout(() => request.destroy(new TooSlow('The answer')), call.headersMsMax);
    let answer: IncomingMessage | undefined;
    const stop = (): void => {
      (answer ?? request).destroy(signal.reason as Error);
      reject(signal.reason as Error);
    };
    const forget = onAbort(signal, stop);
    const over = (): void => {
      clearTimeout(late);
      forget();
    };
    watchConnection(request, call);
    request.on('error', reject);
    request.once('close', () => {
      if (answer !== undefined) return;
      over();
      // This also happens if the server switches protocols, or closes the connection without an answer.
      reject(new Error('The connection was closed.'));
    });
    request.once('response', (received) => {
      clearTimeout(late);
      answer = withErrorListener(received);
      received.once('close', over);
      resolve({ status: received.statusCode ?? 0, headers: received.headers, body: received });
    });
    request.end(body);
  });

const watchConnection = (request: ClientRequest, { connectMsMax, onSent, url }: OutgoingCall): void => {
  request.once('socket', (socket: Socket) => {
    if (!socket.connecting) {
      onSent?.();
      return;
    }
    const late = setTimeout(() => request.destroy(new TooSlow('The connection')), connectMsMax);
    socket.once(url.protocol === 'https:' && 'encrypted' in socket ? 'secureConnect' : 'connect', () => {
      clearTimeout(late);
      onSent?.();
    });
    socket.once('close', () => clearTimeout(late));
  });
};

/** The connections to one origin, which are kept open for a while. */
export const agentFor = (url: URL, maxSockets: number): Agent => {
  const options = { keepAlive: true, maxSockets, timeout: KEEP_ALIVE_MS };
  return url.protocol === 'https:' ? new SecureAgent(options) : new Agent(options);
};
