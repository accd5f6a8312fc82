import type { FastifyRequest } from 'fastify';

import type { Person } from './account.entity';
import type { Role } from './roles';
import { RequestSlot } from '../platform/http/request-slot';

/** Who is signed in, and for which organisation they act: their own, or the one that the call names. */
export interface Acting {
  readonly person: Person;
  readonly organisation: {
    readonly id: string;
    readonly name: string;
    readonly isClosed: boolean;
  };
  readonly role: Role;
  /** What to ask by, later, whether all of this still holds: the hash of the session, a slash, and the organisation. */
  readonly session: string;
}

const actings = new RequestSlot<Acting>();

export const rememberActing = (request: FastifyRequest, acting: Acting): void => {
  actings.set(request, acting);
};

/** Undefined where no session was proven: by a key, a wallet, or not at all. */
export const actingOn = (request: FastifyRequest): Acting | undefined => actings.get(request);

/** The only one whose keys they see and change; undefined where that is everybody. */
export const onlyMaker = ({ role, person }: Acting): string | undefined =>
  role === 'developer' ? person.id : undefined;

/** Tells apart what members of one organisation have marked; what people do for themselves is marked as ever. */
export const keyScopeOf = ({ organisation, person }: Acting): string =>
  organisation.id === person.id ? person.id : `${organisation.id}/${person.id}`;
