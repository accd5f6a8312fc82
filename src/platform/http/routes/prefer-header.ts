import type { FastifyRequest } from 'fastify';

/** The time for which a caller wants to wait: `Prefer: wait=n`, or 0 for `respond-async` (RFC 7240). */
export const waitSecondsOf = (request: FastifyRequest): number | undefined => {
  const header = String(request.headers.prefer ?? '');
  if (/\brespond-async\b/i.test(header)) {
    return 0;
  }
  const wait = /\bwait\s*=\s*(\d{1,4})\b/i.exec(header)?.[1];
  return wait === undefined ? undefined : Number(wait);
};
