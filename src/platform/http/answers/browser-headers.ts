import type { FastifyRequest } from 'fastify';

type Headers = Readonly<Record<string, string>>;

/** Headers that OpenAI's own client adds to each request. In a page it can call us only if all of them are allowed. */
const STAINLESS = [
  'arch',
  'helper-method',
  'lang',
  'os',
  'package-version',
  'retry-count',
  'runtime',
  'runtime-version',
  'timeout',
].map((name) => `x-stainless-${name}`);

/** Request headers besides credentials that pages may send. Stock x402 clients send the last one as well. */
const ALLOWED = [
  'content-type',
  'x-wallet-address',
  'idempotency-key',
  'x-max-price-micro',
  'x-organisation',
  'prefer',
  'accept-payment',
  'mcp-protocol-version',
  'mcp-session-id',
  'last-event-id',
  ...STAINLESS,
  'access-control-expose-headers',
];

const EXPOSED = [
  'PAYMENT-REQUIRED',
  'PAYMENT-RESPONSE',
  'X-PAYMENT-RESPONSE',
  'Payment-Receipt',
  'WWW-Authenticate',
  'Retry-After',
  'RateLimit-Limit',
  'RateLimit-Remaining',
  'RateLimit-Reset',
  'X-Request-Id',
  'X-Charge-Id',
  'X-Charge-State',
  'X-Charge-Micro',
  'X-Balance-Micro',
  'X-Balance-Remaining',
  'Idempotent-Replayed',
  'x-should-retry',
].join(', ');

const OPEN: Headers = { 'access-control-allow-origin': '*', 'access-control-expose-headers': EXPOSED };

/** Any page may call the agent API, without cookies. Only our own pages may call routes with a session cookie. */
export const corsHeaders = (url: string): Headers | undefined =>
  (url.startsWith('/v1/') && !url.startsWith('/v1/account') && !url.startsWith('/v1/admin')) ||
  url.startsWith('/mcp') ||
  url.startsWith('/.well-known/') ||
  url.startsWith('/openapi.json') ||
  url.startsWith('/media/')
    ? OPEN
    : undefined;

/** Only a real preflight is answered here. To crawlers, a plain OPTIONS with a 2xx looks like an open operation. */
export const isPreflight = (request: FastifyRequest): boolean =>
  request.method === 'OPTIONS' &&
  request.headers.origin !== undefined &&
  request.headers['access-control-request-method'] !== undefined;

/** The list names every header, because a wildcard would not cover `authorization`. */
export const preflightHeaders = (credentials: readonly string[]): Headers => ({
  'access-control-allow-methods': 'GET, POST, DELETE',
  'access-control-allow-headers': [...credentials, ...ALLOWED].join(', '),
  'access-control-max-age': '86400',
});

/** Prevents framing, sniffing and scripts. Pages replace this with their own policy. */
export const securityHeaders = (https: boolean): Headers => ({
  'x-content-type-options': 'nosniff',
  'referrer-policy': 'no-referrer',
  'content-security-policy': "default-src 'none'; frame-ancestors 'none'",
  ...(https ? { 'strict-transport-security': 'max-age=31536000; includeSubDomains' } : {}),
});
