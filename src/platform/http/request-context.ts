import { AsyncLocalStorage } from 'node:async_hooks';

import type { FastifyInstance } from 'fastify';

const current = new AsyncLocalStorage<string>();

/** Every log line during a request carries the request's id. */
export const requestLine = (): object => {
  const requestId = current.getStore();
  return requestId === undefined ? {} : { requestId };
};

/** Keeps the id of each request in its async context. */
export const followRequests = (instance: FastifyInstance): void => {
  instance.addHook('onRequest', (request, _reply, done) => current.run(request.id, done));
  // Reading a body leaves the context behind.
  instance.addHook('preHandler', (request, _reply, done) => current.run(request.id, done));
};
