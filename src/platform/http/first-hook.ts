import type { FastifyReply, FastifyRequest } from 'fastify';

import type { MaybePromise } from '#kernel/maybe-promise';

/**
 * A hook before the body is read. It may answer the request itself. If it throws an error, that error is the answer.
 */
export type FirstHook = (request: FastifyRequest, reply: FastifyReply) => MaybePromise<void>;
