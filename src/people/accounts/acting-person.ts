import type { FastifyRequest } from 'fastify';

import type { Person } from './account.entity';
import type { Role } from './roles';
import { RequestSlot } from '#platform/http/request-slot';

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

/** Undefined if the request has no proven session, for example with a key or a wallet. */
export const actingOn = (request: FastifyRequest): Acting | undefined => actings.get(request);

/**
 * Developers may see and change only keys that they made: this is their id. Undefined if the person may see all keys.
 */
export const onlyMaker = ({ role, person }: Acting): string | undefined =>
  role === 'developer' ? person.id : undefined;

/**
 * Separates the idempotency keys of an organisation's members. In a person's own organisation, the scope is the
 * person's id, as before there were organisations.
 */
export const keyScopeOf = ({ organisation, person }: Acting): string =>
  organisation.id === person.id ? person.id : `${organisation.id}/${person.id}`;
