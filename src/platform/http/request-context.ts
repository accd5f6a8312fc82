import { AsyncLocalStorage } from 'node:async_hooks';

import type { FastifyInstance } from 'fastify';

const current = new AsyncLocalStorage<string>();

/** Adds the request's id to every log line during the request. */
export const requestLine = (): object => {
  const requestId = current.getStore();
  return requestId === undefined ? {} : { requestId };
};

/** Keeps the id of each request in its async context. */
export const followRequests = (instance: FastifyInstance): void => {
  instance.addHook('onRequest', (request, _reply, done) => current.run(request.id, done));
  // The async context is lost while the body is read, so the id is set again.
  instance.addHook('preHandler', (request, _reply, done) => current.run(request.id, done));
};
