import { createHash, timingSafeEqual } from 'node:crypto';

import type { FastifyRequest } from 'fastify';

import type { Admin } from '../platform/config/admins';
import type { AuditDraft } from './audit.repository';
import { RequestSlot } from '../platform/http/request-slot';

const digest = (text: string): Buffer => createHash('sha256').update(text).digest();

const proven = new RequestSlot<string>();

/**
 * The operator with this token. Digests have one length, and comparing them takes the same time however much of the
 * token is right.
 */
export const operatorWith = (token: string, admins: readonly Admin[]): Admin | undefined =>
  admins.filter((admin) => timingSafeEqual(digest(token), digest(admin.token))).at(0);

/** From here on the audit names the operator of this request. */
export const noteOperator = (request: FastifyRequest, { name }: Admin): void => {
  proven.set(request, name);
};

/** The audited facts about the operator of a request. */
export const doneBy = (request: FastifyRequest): Pick<AuditDraft, 'operator' | 'requestId' | 'ip'> => ({
  operator: proven.get(request),
  requestId: request.id,
  ip: request.ip,
});
