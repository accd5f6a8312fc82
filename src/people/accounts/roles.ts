/** The roles in an organisation, from the most rights to the fewest. */
export const ROLES = ['owner', 'admin', 'developer', 'billing', 'viewer'] as const;
export type Role = (typeof ROLES)[number];

export const EVERY_ROLE: readonly Role[] = [...ROLES];
/** Roles that manage members. Only owners can make other owners. */
export const LEADS: readonly Role[] = ['owner', 'admin'];
/**
 * Roles that may spend and have keys. The database has the same rule: it ends the keys of a member who gets another
 * role.
 */
export const MAKERS: readonly Role[] = ['owner', 'admin', 'developer'];
export const OWNERS: readonly Role[] = ['owner'];
export const PAYERS: readonly Role[] = ['owner', 'admin', 'billing'];
/** Roles that see every row of an organisation. A developer sees only their own. */
export const WHOLE_VIEW_ROLES: readonly Role[] = ROLES.filter((role) => role !== 'developer');

/** A route for everybody, without a session. */
export const EVERYBODY = 'everybody';
/** A route about the signed-in person. The organisation that the call names does not matter. */
export const PERSON = 'person';

/** Those who may call a route of the account. */
export type Who = readonly Role[] | typeof PERSON | typeof EVERYBODY;

/** The rights of each role on the agent API. */
export const AGENT_API = { read: EVERY_ROLE, change: MAKERS } as const;
