import type { FastifyRequest } from 'fastify';

import type { Person } from './account.entity';
import type { Role } from './roles';
import { RequestSlot } from '../platform/http/request-slot';

/** A signed-in person and the organisation that they act for: their own, or the one that the call names. */
export interface Acting {
  readonly person: Person;
  readonly organisation: {
    readonly id: string;
    readonly name: string;
    readonly isClosed: boolean;
  };
  readonly role: Role;
  /**
   * Identifies this session and organisation for later checks: the hash of the session, a slash, and the organisation.
   */
  readonly session: string;
}

const actings = new RequestSlot<Acting>();

export const rememberActing = (request: FastifyRequest, acting: Acting): void => {
  actings.set(request, acting);
};

/** Undefined without a proven session: with a key, a wallet, or no credential. */
export const actingOn = (request: FastifyRequest): Acting | undefined => actings.get(request);

/** The only maker whose keys the person may see and change; undefined if they may see all keys. */
export const onlyMaker = ({ role, person }: Acting): string | undefined =>
  role === 'developer' ? person.id : undefined;

/**
 * Separates the idempotency keys of an organisation's members. Keys of a person's own organisation keep their old
 * scope.
 */
export const keyScopeOf = ({ organisation, person }: Acting): string =>
  organisation.id === person.id ? person.id : `${organisation.id}/${person.id}`;
