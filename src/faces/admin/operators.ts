import { createHash, timingSafeEqual } from 'node:crypto';

import type { FastifyRequest } from 'fastify';

import type { Actor } from './audit.repository';
import { RequestSlot } from '#platform/http/request-slot';
import type { Admin } from '#people/identity/admins';

const digest = (text: string): Buffer => createHash('sha256').update(text).digest();

const proven = new RequestSlot<string>();

/**
 * The operator with this token. The comparison of digests always takes the same time, so its time does not help to
 * guess a token.
 */
export const operatorWith = (token: string, admins: readonly Admin[]): Admin | undefined =>
  admins.filter((admin) => timingSafeEqual(digest(token), digest(admin.token))).at(0);

/** Stores the operator of this request, so that the audit can name them. */
export const noteOperator = (request: FastifyRequest, { name }: Admin): void => {
  proven.set(request, name);
};

/** The facts about the operator of a request that the audit stores. */
export const doneBy = (request: FastifyRequest): Actor => ({
  operator: proven.get(request),
  requestId: request.id,
  ip: request.ip,
});
