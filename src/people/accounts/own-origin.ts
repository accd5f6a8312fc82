import type { FastifyRequest } from 'fastify';

import { OriginMismatch } from './accounts.errors';
import { sessionTokenIn } from './session-cookie';

const READS: ReadonlySet<string> = new Set(['GET', 'HEAD', 'OPTIONS']);

/**
 * Prevents other sites from acting with a visitor's cookie. A call that changes something must name our origin if it
 * has the cookie, and must never name a foreign origin. Browsers always send the `Origin` header with such calls, and
 * pages can't forge it.
 */
export const refuseForeignOrigin = (request: FastifyRequest, publicUrl: string): void => {
  if (READS.has(request.method)) return;
  const own = new URL(publicUrl).origin;
  const { origin } = request.headers;
  if (origin === undefined ? sessionTokenIn(request) !== undefined : origin !== own)
    throw new OriginMismatch(own);
};
