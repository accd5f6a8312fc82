import { createHash, timingSafeEqual } from 'node:crypto';

import type { FastifyRequest } from 'fastify';

import type { Admin } from '../platform/config/admins';
import type { AuditDraft } from './audit.repository';
import { RequestSlot } from '../platform/http/request-slot';

const digest = (text: string): Buffer => createHash('sha256').update(text).digest();

const proven = new RequestSlot<string>();

/** Who has this token. Digests are of one length, and comparing them takes as long however much of the token is right. */
export const operatorWith = (token: string, admins: readonly Admin[]): Admin | undefined =>
  admins.filter((admin) => timingSafeEqual(digest(token), digest(admin.token))).at(0);

/** From here on the audit names whoever sent this. */
export const noteOperator = (request: FastifyRequest, { name }: Admin): void => {
  proven.set(request, name);
};

/** What the audit keeps of who did something, and from where. */
export const doneBy = (request: FastifyRequest): Pick<AuditDraft, 'operator' | 'requestId' | 'ip'> => ({
  operator: proven.get(request),
  requestId: request.id,
  ip: request.ip,
});
