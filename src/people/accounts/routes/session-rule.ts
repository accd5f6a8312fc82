import type { FastifyRequest } from 'fastify';

import { type RouteOptions, routeOptionsOf } from '#platform/http/routes/route';
import { AGENT_API, EVERYBODY, PERSON, type Role, type Who } from '../roles';

/** The rule of a route for calls with a session. */
export interface SessionRule {
  /** The permitted roles. Routes of the agent API have those of `AGENT_API`. */
  readonly who?: Who;
  /** Set for keys, invites, second factors, closing and top-ups: they wait for a proven address. */
  readonly needsProof?: boolean;
}

const FACT = 'session';
const READS: ReadonlySet<string> = new Set(['GET', 'HEAD']);

/** The option of a route that holds its rule. */
export const sessionRule = (rule: SessionRule): RouteOptions => ({ facts: { [FACT]: rule } });

export const sessionRuleIn = ({ facts }: RouteOptions): SessionRule | undefined =>
  facts?.[FACT] as SessionRule | undefined;

/** The roles that may make this call with a session; undefined if the route is only about the person. */
export const rolesFor = (request: FastifyRequest): readonly Role[] | undefined => {
  const who = sessionRuleIn(routeOptionsOf(request))?.who;
  if (who === EVERYBODY) throw new Error('A route for everybody asks for no session.');
  if (who === PERSON) return undefined;
  return who ?? AGENT_API[READS.has(request.method) ? 'read' : 'change'];
};

export const needsProof = (request: FastifyRequest): boolean =>
  sessionRuleIn(routeOptionsOf(request))?.needsProof === true;
