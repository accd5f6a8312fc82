import type { FastifyRequest } from 'fastify';

type Headers = Readonly<Record<string, string>>;

/** Headers that OpenAI's own client adds to each request. The client works in a page only if we allow all of them. */
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
  'x-session',
  'prefer',
  'accept-payment',
  'mcp-protocol-version',
  'mcp-session-id',
  'last-event-id',
  ...STAINLESS,
  'access-control-expose-headers',
];

/** The wildcard exposes every header, because these routes read no cookies. A list would cost 300 bytes a call. */
const OPEN: Headers = { 'access-control-allow-origin': '*', 'access-control-expose-headers': '*' };

/** Any page may call the agent API, without cookies. Only our own pages may call routes with a session cookie. */
export const corsHeaders = (url: string): Headers | undefined =>
  (url.startsWith('/v1/') && !url.startsWith('/v1/account') && !url.startsWith('/v1/admin')) ||
  url.startsWith('/mcp') ||
  url.startsWith('/.well-known/') ||
  url.startsWith('/openapi.json') ||
  url.startsWith('/media/')
    ? OPEN
    : undefined;

/**
 * Whether this is a real preflight. Any other OPTIONS must not get a 2xx, because crawlers would take it for an open
 * operation.
 */
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

/** Headers that prevent framing, sniffing and scripts. Pages replace the policy with their own. */
export const securityHeaders = (https: boolean): Headers => ({
  'x-content-type-options': 'nosniff',
  'referrer-policy': 'no-referrer',
  'content-security-policy': "default-src 'none'; frame-ancestors 'none'",
  ...(https ? { 'strict-transport-security': 'max-age=31536000; includeSubDomains' } : {}),
});
