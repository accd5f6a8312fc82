import { Header, HttpCode, type Type, UseGuards, applyDecorators } from '@nestjs/common';
import { ApiHeader, ApiOperation, ApiParam, ApiProduces, ApiResponse, ApiSecurity } from '@nestjs/swagger';

import { HttpRoute, type RouteOptions } from '#platform/http/routes/route';
import { InDocument } from '#platform/openapi/audience';
import { ApiFailures, PublicRoute } from '#platform/openapi/docs';
import { Audited, type AuditRule } from '../audit/audited';
import { OwnOriginGuard } from '../own-origin.guard';
import { EVERYBODY, PERSON, type Who } from '../roles';
import { SessionGuard } from '../session.guard';
import { sessionRule } from './session-rule';

/** Everything about a route of the account, for its guard, its document, its limits and the audit. */
interface AccountRouteFacts extends Pick<RouteOptions, 'limit' | 'limitedAs'> {
  readonly who: Who;
  /** Set if the route waits until the address of the person is proven. */
  readonly needsProof?: boolean;
  /** True if the address of the route names the organisation, as `:org`. By default a header names it. */
  readonly namesOrganisation?: boolean;
  /** The entry in the organisation's audit. */
  readonly audit?: AuditRule;
  readonly summary: string;
  readonly description?: string;
  readonly operationId: string;
  /** 200 by default, also for POST. */
  readonly status?: number;
  /** The class of the answer, or `csv` for a file of a spreadsheet. */
  readonly answer: Type | 'csv';
  readonly answerHeaders?: object;
  readonly failures: readonly number[];
}

/** Says everything about a route of the account, beside its method and its address. */
export const AccountRoute = (facts: AccountRouteFacts): MethodDecorator => {
  const { who, needsProof, limit, limitedAs, audit, failures } = facts;
  return applyDecorators(
    InDocument('account'),
    HttpRoute({ limit, limitedAs, ...sessionRule({ who, needsProof }) }),
    ...(who === EVERYBODY ? FOR_EVERYBODY : [ApiSecurity('session'), UseGuards(SessionGuard)]),
    ...organisationOf(facts),
    ...(audit === undefined ? [] : [Audited(audit.action, audit.factsOf)]),
    documented(facts),
    ApiFailures(...failures),
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

const documented = ({
  summary,
  description,
  operationId,
  status = 200,
  answer,
  answerHeaders,
}: AccountRouteFacts): MethodDecorator =>
  applyDecorators(
    ApiOperation({ summary, description, operationId }),
    HttpCode(status),
    ...(answer === 'csv' ? [ApiProduces('text/csv')] : []),
    ApiResponse({
      status,
      headers: answerHeaders as never,
      ...(answer === 'csv' ? CSV : { type: answer }),
    }),
  );

const CSV = { content: { 'text/csv': { schema: { type: 'string' } } } };
