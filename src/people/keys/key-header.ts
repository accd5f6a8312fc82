import type { FastifyRequest } from 'fastify';

/** Any other Bearer token is no key of ours: stock clients always send one. */
const BEARER_KEY = /^bearer +(lp_.*)$/i;

/**
 * The value that the caller sent as a key, well formed or not; undefined if there is none. `x-api-key` has priority;
 * clients of generateContent send `x-goog-api-key`. A key in the address is no credential, because logs and histories
 * keep addresses.
 */
export const keyIn = ({ headers }: FastifyRequest): string | undefined => {
  const header = headers['x-api-key'] ?? headers['x-goog-api-key'];
  if (header !== undefined) return String(header);
  return BEARER_KEY.exec(headers.authorization ?? '')?.[1];
};
