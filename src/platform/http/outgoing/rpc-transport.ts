import { type FallbackTransport, type HttpTransport, fallback, http } from 'viem';

import { agentFor, outgoing } from './outgoing';
import { readUpTo } from './read-up-to';

const CONNECTIONS_MAX = 128;
/** Far larger than a node's answer to any of our requests. */
const ANSWER_BYTES_MAX = 10 * 1024 * 1024;
/** Answers with these statuses must have no body; otherwise `Response` throws. */
const BODILESS: ReadonlySet<number> = new Set([204, 205, 304]);

/** Replaces the `fetch` that viem uses, so that all calls to outside servers use the same client. */
const fetchOver = (rpcUrl: string, msMax: number): typeof fetch => {
  const agent = agentFor(new URL(rpcUrl), CONNECTIONS_MAX);
  return async (input, init = {}) => {
    const { status, body } = await outgoing({
      url: new URL(input instanceof Request ? input.url : input),
      method: init.method ?? 'POST',
      headers: { ...Object.fromEntries(new Headers(init.headers)), accept: 'application/json' },
      ...(typeof init.body === 'string' ? { body: init.body } : {}),
      signal: init.signal ?? AbortSignal.timeout(msMax),
      agent,
      connectMsMax: msMax,
      headersMsMax: msMax,
    });
    const bytes = await readUpTo(body, ANSWER_BYTES_MAX);
    if (status < 200 || status > 599) throw new RangeError(`status ${status}`);
    return new Response(BODILESS.has(status) ? null : new Uint8Array(bytes), { status });
  };
};

/** Asks the nodes of a list one after the other, until one answers in time. */
export const rpcTransport = (
  rpcUrls: readonly string[],
  msMax: number,
): FallbackTransport<readonly HttpTransport[]> =>
  fallback(
    rpcUrls.map((url) => http(url, { timeout: msMax, retryCount: 0, fetchFn: fetchOver(url, msMax) })),
    { retryCount: 0 },
  );
