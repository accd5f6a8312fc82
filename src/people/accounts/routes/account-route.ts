import { Header, UseGuards, applyDecorators } from '@nestjs/common';
import { ApiHeader, ApiParam, ApiSecurity } from '@nestjs/swagger';

import { HttpRoute, type RouteOptions } from '#platform/http/routes/route';
import { InDocument } from '#platform/openapi/audience';
import { PublicRoute } from '#platform/openapi/docs';
import { Documented, type RouteDocument } from '#platform/openapi/route-document';
import { Audited, type AuditRule } from '../audit/audited';
import { OwnOriginGuard } from '../own-origin.guard';
import { EVERYBODY, PERSON, type Who } from '../roles';
import { SessionGuard } from '../session.guard';
import { sessionRule } from './session-rule';

/** Everything about a route of the account, for its guard, its document, its limits and the audit. */
interface AccountRouteFacts extends RouteDocument, Pick<RouteOptions, 'limit' | 'limitedAs'> {
  readonly who: Who;
  /** Set if the route waits until the address of the person is proven. */
  readonly needsProof?: boolean;
  /** True if the address of the route names the organisation, as `:org`. By default a header names it. */
  readonly namesOrganisation?: boolean;
  /** The entry in the organisation's audit. */
  readonly audit?: AuditRule;
}

/** Says everything about a route of the account, beside its method and its address. */
export const AccountRoute = (facts: AccountRouteFacts): MethodDecorator => {
  const { who, needsProof, limit, limitedAs, audit } = facts;
  return applyDecorators(
    InDocument('account'),
    HttpRoute({ limit, limitedAs, ...sessionRule({ who, needsProof }) }),
    ...(who === EVERYBODY ? FOR_EVERYBODY : [ApiSecurity('session'), UseGuards(SessionGuard)]),
    ...organisationOf(facts),
    ...(audit === undefined ? [] : [Audited(audit)]),
    Documented({ answerHeaders: undefined, ...facts }),
  );
};

const FOR_EVERYBODY = [UseGuards(OwnOriginGuard), Header('cache-control', 'no-store'), PublicRoute()];

const organisationOf = ({ who, namesOrganisation }: AccountRouteFacts): MethodDecorator[] => {
  if (namesOrganisation) return [ApiParam({ name: 'org', schema: { type: 'string', maxLength: 60 } })];
  if (who === EVERYBODY || who === PERSON) return [];
  const header = {
    name: 'X-Organisation',
    required: false,
    description: 'The organisation that you act for. Without it, your own.',
    schema: { type: 'string', maxLength: 60 },
  } as const;
  return [ApiHeader(header)];
};
