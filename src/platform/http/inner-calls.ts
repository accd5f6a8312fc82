import { randomUUID } from 'node:crypto';

import type { FastifyRequest } from 'fastify';

/**
 * The header that names the outer call when the service calls its own routes for a caller. Nobody outside can know a
 * valid name.
 */
export const INNER_HEADER = 'x-lamppost-inner-call';

const outer = new Map<string, FastifyRequest>();

/** Runs `work` with a name by which our own routes find the outer request. */
export const onBehalfOf = async <T>(
  request: FastifyRequest,
  work: (name: string) => Promise<T>,
): Promise<T> => {
  const name = randomUUID();
  outer.set(name, request);
  try {
    return await work(name);
  } finally {
    outer.delete(name);
  }
};

/** The outer request of an inner one; undefined for requests from outside. */
export const outerOf = ({ headers }: FastifyRequest): FastifyRequest | undefined => {
  const name = headers[INNER_HEADER];
  return typeof name === 'string' ? outer.get(name) : undefined;
};
