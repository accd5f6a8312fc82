/** The roles in an organisation, from the most rights to the fewest. */
export const ROLES = ['owner', 'admin', 'developer', 'billing', 'viewer'] as const;
export type Role = (typeof ROLES)[number];

const ALL: readonly Role[] = ROLES;
/** Roles that manage members. Only owners can make other owners. */
export const LEADS: readonly Role[] = ['owner', 'admin'];
/**
 * Roles that may spend and have keys. The database has the same rule: it ends the keys of a member who gets another
 * role.
 */
export const MAKERS: readonly Role[] = ['owner', 'admin', 'developer'];
const OWNERS: readonly Role[] = ['owner'];
const PAYERS: readonly Role[] = ['owner', 'admin', 'billing'];

/** Routes about the signed-in person. The organisation that the call names does not matter. */
const PERSON = 'person';
/** Routes for everybody. */
const NOBODY = 'nobody';

/**
 * The rights of each role, by route. An account route without a line here refuses everybody. The last two lines cover
 * all calls of the agent API with a session.
 */
export const WHO_MAY = {
  'POST /v1/account/register': NOBODY,
  'POST /v1/account/sign-in': NOBODY,
  'POST /v1/account/sign-out': NOBODY,
  'POST /v1/account/password': PERSON,
  'POST /v1/account/password/forgot': NOBODY,
  'POST /v1/account/password/reset': NOBODY,
  'POST /v1/account/sign-in/passkey/options': NOBODY,
  'POST /v1/account/sign-in/passkey': NOBODY,
  'POST /v1/account/address-proof': PERSON,
  'POST /v1/account/address-proof/mail': PERSON,
  'GET /v1/account/security': PERSON,
  'POST /v1/account/second-factor': PERSON,
  'POST /v1/account/second-factor/confirm': PERSON,
  'POST /v1/account/second-factor/recovery-codes': PERSON,
  'POST /v1/account/second-factor/remove': PERSON,
  'POST /v1/account/passkeys/options': PERSON,
  'POST /v1/account/passkeys': PERSON,
  'POST /v1/account/passkeys/remove': PERSON,
  'GET /v1/account/close': PERSON,
  'POST /v1/account/close': PERSON,
  'GET /v1/account/sessions': PERSON,
  'DELETE /v1/account/sessions/:id': PERSON,
  'GET /v1/account': ALL,
  'GET /v1/account/jobs': ALL,
  'GET /v1/account/usage': ALL,
  // Developers see only their own calls, and the calls of keys that they made.
  'GET /v1/account/requests': ALL,
  'GET /v1/account/requests/histogram': ALL,
  'GET /v1/account/requests.csv': ALL,
  'GET /v1/account/webhooks/:id/tries': ALL,
  'GET /v1/account/billing/transactions': ALL,
  'GET /v1/account/billing/transactions.csv': ALL,
  'POST /v1/account/billing/top-up': PAYERS,
  'GET /v1/account/billing/address': PAYERS,
  'PUT /v1/account/billing/address': LEADS,
  'DELETE /v1/account/billing/address': LEADS,
  'GET /v1/account/billing/top-ups': PAYERS,
  'GET /v1/account/billing/top-ups/:id': PAYERS,
  'GET /v1/account/billing/auto-top-up': PAYERS,
  'PUT /v1/account/billing/auto-top-up': OWNERS,
  'POST /v1/account/billing/auto-top-up/card': OWNERS,
  'DELETE /v1/account/billing/auto-top-up/card': OWNERS,
  'GET /v1/account/alerts': ALL,
  'PUT /v1/account/alerts': PAYERS,
  // Developers see and change only the keys that they have made.
  'GET /v1/account/keys': ALL,
  'POST /v1/account/keys': MAKERS,
  'PATCH /v1/account/keys/:id': MAKERS,
  'POST /v1/account/keys/:id/rotate': MAKERS,
  'DELETE /v1/account/keys/:id': MAKERS,
  'GET /v1/account/organisations': PERSON,
  'POST /v1/account/organisations': PERSON,
  'GET /v1/account/invites/:token': NOBODY,
  'POST /v1/account/invites/:token/accept': PERSON,
  'PATCH /v1/account/organisations/:org': LEADS,
  'GET /v1/account/organisations/:org/close': OWNERS,
  'POST /v1/account/organisations/:org/close': OWNERS,
  'GET /v1/account/organisations/:org/members': ALL,
  'PATCH /v1/account/organisations/:org/members/:member': LEADS,
  'PUT /v1/account/organisations/:org/members/:member/budget': LEADS,
  // Every member may leave. Only roles that manage members may remove others.
  'DELETE /v1/account/organisations/:org/members/:member': ALL,
  'GET /v1/account/organisations/:org/invites': LEADS,
  'POST /v1/account/organisations/:org/invites': LEADS,
  'DELETE /v1/account/organisations/:org/invites/:invite': LEADS,
  'GET /v1/account/organisations/:org/audit': LEADS,
  'GET /v1/account/organisations/:org/audit.csv': LEADS,
  'read /v1/agent': ALL,
  'change /v1/agent': MAKERS,
} as const satisfies Readonly<Record<string, readonly Role[] | typeof PERSON | typeof NOBODY>>;

type Line = keyof typeof WHO_MAY;

/** The routes that depend on the role. Pages hide actions that the role does not permit. */
export const ROLE_LINES: readonly Line[] = (Object.keys(WHO_MAY) as Line[]).filter((line) =>
  Array.isArray(WHO_MAY[line]),
);

export const linesFor = (role: Role): readonly Line[] =>
  ROLE_LINES.filter((line) => (WHO_MAY[line] as readonly Role[]).includes(role));

const READS: ReadonlySet<string> = new Set(['GET', 'HEAD']);

/** The roles that may call a route with a session; undefined if the route is only about the person. */
export const rolesFor = (method: string, route: string): readonly Role[] | undefined => {
  const isRead = READS.has(method);
  const line = route.startsWith('/v1/account')
    ? `${isRead ? 'GET' : method} ${route}`
    : `${isRead ? 'read' : 'change'} /v1/agent`;
  const may = (WHO_MAY as Readonly<Record<string, (typeof WHO_MAY)[keyof typeof WHO_MAY] | undefined>>)[line];
  if (may === undefined || may === NOBODY) throw new Error(`Nothing says which roles may ${line}.`);
  return may === PERSON ? undefined : may;
};
