/** What somebody may do in an organisation, from most to least. */
export const ROLES = ['owner', 'admin', 'developer', 'billing', 'viewer'] as const;
export type Role = (typeof ROLES)[number];

const ALL: readonly Role[] = ROLES;
/** Who looks after members; only owners make owners. */
export const LEADS: readonly Role[] = ['owner', 'admin'];
/** Who spends and has keys. The database knows it, too: whoever is none of these keeps no working key. */
export const MAKERS: readonly Role[] = ['owner', 'admin', 'developer'];
const PAYERS: readonly Role[] = ['owner', 'admin', 'billing'];

/** About who is signed in, whatever organisation the call names. */
const PERSON = 'person';
/** For whoever comes. */
const NOBODY = 'nobody';

/**
 * What each role may do, by route. A route of the account that does not stand here answers nobody; all that a session does on the
 * agent API is one of the last two lines.
 */
export const WHO_MAY = {
  'POST /v1/account/register': NOBODY,
  'POST /v1/account/sign-in': NOBODY,
  'POST /v1/account/sign-out': NOBODY,
  'POST /v1/account/password': PERSON,
  'GET /v1/account': ALL,
  'GET /v1/account/jobs': ALL,
  'GET /v1/account/usage': ALL,
  'GET /v1/account/billing/transactions': ALL,
  'GET /v1/account/billing/transactions.csv': ALL,
  'POST /v1/account/billing/top-up': PAYERS,
  'GET /v1/account/alerts': ALL,
  'PUT /v1/account/alerts': PAYERS,
  // Developers see and change the keys that they have made, and no others.
  'GET /v1/account/keys': ALL,
  'POST /v1/account/keys': MAKERS,
  'PATCH /v1/account/keys/:id': MAKERS,
  'POST /v1/account/keys/:id/rotate': MAKERS,
  'DELETE /v1/account/keys/:id': MAKERS,
  'GET /v1/account/organisations': PERSON,
  'POST /v1/account/organisations': PERSON,
  'POST /v1/account/invites/:token/accept': PERSON,
  'GET /v1/account/organisations/:org/members': ALL,
  'PATCH /v1/account/organisations/:org/members/:member': LEADS,
  // Everybody may leave; others are removed by those who look after members.
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

/** The lines that are a matter of the role, for pages that offer nobody what they would be refused. */
export const ROLE_LINES: readonly Line[] = (Object.keys(WHO_MAY) as Line[]).filter((line) =>
  Array.isArray(WHO_MAY[line]),
);

export const linesFor = (role: Role): readonly Line[] =>
  ROLE_LINES.filter((line) => (WHO_MAY[line] as readonly Role[]).includes(role));

const READS: ReadonlySet<string> = new Set(['GET', 'HEAD']);

/** Who may call a route with a session; undefined where it is about the person alone. */
export const rolesFor = (method: string, route: string): readonly Role[] | undefined => {
  const isRead = READS.has(method);
  const line = route.startsWith('/v1/account')
    ? `${isRead ? 'GET' : method} ${route}`
    : `${isRead ? 'read' : 'change'} /v1/agent`;
  const may = (WHO_MAY as Readonly<Record<string, (typeof WHO_MAY)[keyof typeof WHO_MAY] | undefined>>)[line];
  if (may === undefined || may === NOBODY) throw new Error(`Nothing says which roles may ${line}.`);
  return may === PERSON ? undefined : may;
};
