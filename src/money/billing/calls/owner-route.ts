import { UseGuards, applyDecorators } from '@nestjs/common';
import { ApiSecurity } from '@nestjs/swagger';

import { Audited, type AuditRule } from '#people/accounts/audit/audited';
import { sessionRule } from '#people/accounts/routes/session-rule';
import { HttpRoute, type RouteOptions } from '#platform/http/routes/route';
import { InDocument } from '#platform/openapi/audience';
import { ApiFailures } from '#platform/openapi/failures';
import { Documented, type RouteDocument } from '#platform/openapi/route-document';
import { OwnerGuard, type OwnerRule, ownerRule } from './owner.guard';

/** Everything about a route of an owner, for its guard, its document, its limits and the audit. */
interface OwnerRouteFacts extends OwnerRule, RouteDocument {
  /** Set if a session may call the route only after the address of its person is proven. */
  readonly needsProof?: boolean;
  /** The entry in the organisation's audit, for calls with a session. */
  readonly audit?: AuditRule;
  /** True if the route is in the selection for crawlers. */
  readonly isForCrawlers?: boolean;
  /** Options for the hooks that run before Nest. The rule sets the other ones. */
  readonly http?: Omit<RouteOptions, 'limit' | 'provesCaller' | 'facts'>;
}

const ApiKey = (): ClassDecorator & MethodDecorator =>
  applyDecorators(ApiSecurity('bearerKey'), ApiSecurity('apiKey'));

/** Documents the credentials of an owner: a key, or a wallet's sign-in. */
export const ApiOwner = (): ClassDecorator & MethodDecorator =>
  applyDecorators(ApiSecurity('walletSignIn'), ApiKey());

/** Says everything about a route of an owner, beside its method and its address. */
export const OwnerRoute = (facts: OwnerRouteFacts): MethodDecorator => {
  const { scope, sees, keysFor, counts, limit, needsProof, audit, isForCrawlers, http, ...document } = facts;
  const rule = ownerRule({ scope, sees, keysFor, counts, limit });
  return applyDecorators(
    HttpRoute({ ...rule, ...http, facts: { ...rule.facts, ...sessionRule({ needsProof }).facts } }),
    UseGuards(OwnerGuard),
    keysFor === undefined ? ApiOwner() : ApiKey(),
    ...(isForCrawlers ? [InDocument('crawlers')] : []),
    ...(audit === undefined ? [] : [Audited(audit)]),
    ApiFailures(401, 403, 429, 451),
    Documented(document),
  );
};
