import type { FastifyRequest } from 'fastify';

/** Any other Bearer is none of ours: stock clients always send some. */
const BEARER_KEY = /^bearer +(lp_.*)$/i;

/**
 * What the caller sent where a key belongs, well formed or not; undefined when it sent none. `x-api-key` wins. A key in
 * the address is no credential: addresses end up in logs and histories.
 */
export const keyIn = ({ headers }: FastifyRequest): string | undefined => {
  const header = headers['x-api-key'];
  if (header !== undefined) {
    return String(header);
  }
  return BEARER_KEY.exec(headers.authorization ?? '')?.[1];
};
