import type { FastifyRequest } from 'fastify';

import { API_ROOT } from '../routes/route';

type Headers = Readonly<Record<string, string>>;

/** The facts of a feature for the pages of other origins. */
interface PageAccess {
  /** Addresses that begin so may be called, without cookies. */
  readonly open?: readonly string[];
  /** Addresses that begin so are for our own pages only, because they read a cookie or an operator's token. */
  readonly own?: readonly string[];
  /** Request headers besides credentials that pages may send. */
  readonly headers?: readonly string[];
}

const open: string[] = [API_ROOT];
const own: string[] = [];
const allowed: string[] = ['content-type', 'idempotency-key', 'prefer'];

/** Declares what pages of other origins may call and send, in a file of the feature. */
export const declarePageAccess = (access: PageAccess): void => {
  open.push(...(access.open ?? []));
  own.push(...(access.own ?? []));
  allowed.push(...(access.headers ?? []));
};

const isBelow = (url: string, addresses: readonly string[]): boolean =>
  addresses.some((address) => url.startsWith(address));

/** The wildcard exposes every header, because these routes read no cookies. A list would cost 300 bytes a call. */
const OPEN: Headers = { 'access-control-allow-origin': '*', 'access-control-expose-headers': '*' };

/** Any page may call open addresses, without cookies. */
export const corsHeaders = (url: string): Headers | undefined =>
  isBelow(url, open) && !isBelow(url, own) ? OPEN : undefined;

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
  'access-control-allow-headers': [...credentials, ...allowed.toSorted()].join(', '),
  'access-control-max-age': '86400',
});

/** Headers that prevent framing, sniffing and scripts. Pages replace the policy with their own. */
export const securityHeaders = (https: boolean): Headers => ({
  'x-content-type-options': 'nosniff',
  'referrer-policy': 'no-referrer',
  'content-security-policy': "default-src 'none'; frame-ancestors 'none'",
  ...(https ? { 'strict-transport-security': 'max-age=31536000; includeSubDomains' } : {}),
});
