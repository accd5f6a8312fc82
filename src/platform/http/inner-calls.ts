import { randomUUID } from 'node:crypto';

import type { FastifyRequest } from 'fastify';

/** Names the call of a caller on whose behalf we ask our own routes. Nobody outside can know a name while it is good. */
export const INNER_HEADER = 'x-lamppost-inner-call';

const outer = new Map<string, FastifyRequest>();

/** Runs `work` with a name under which our own routes find the request that it is done for. */
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

/** The request of a caller that this one is part of; undefined for those that come from outside. */
export const outerOf = ({ headers }: FastifyRequest): FastifyRequest | undefined => {
  const name = headers[INNER_HEADER];
  return typeof name === 'string' ? outer.get(name) : undefined;
};
