import { AsyncLocalStorage } from 'node:async_hooks';

import type { FastifyInstance } from 'fastify';

const current = new AsyncLocalStorage<string>();

/** Every line that is logged while a request is answered says which request that is. */
export const requestLine = (): object => {
  const requestId = current.getStore();
  return requestId === undefined ? {} : { requestId };
};

/** Keeps the id of each request for all that it calls and awaits. */
export const followRequests = (instance: FastifyInstance): void => {
  instance.addHook('onRequest', (request, _reply, done) => current.run(request.id, done));
  // Reading a body leaves the context behind.
  instance.addHook('preHandler', (request, _reply, done) => current.run(request.id, done));
};
