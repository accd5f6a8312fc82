import { UseGuards, applyDecorators } from '@nestjs/common';
import { ApiSecurity } from '@nestjs/swagger';

import type { AdminScope } from '#people/identity/admins';
import { HttpRoute } from '#platform/http/routes/route';
import { InDocument } from '#platform/openapi/audience';
import { Documented, type RouteDocument } from '#platform/openapi/route-document';
import { AdminGuard } from './admin.guard';
import { operatorScope } from './operator-scope';

/** The failures of every route of operators. */
const FAILURES = [401, 403, 429];

/** Everything about a route of operators. The action itself writes its entry in their audit, with its reason. */
interface OperatorRouteFacts extends RouteDocument {
  /** The scope that an operator needs. Every operator may `read`, which is the default of routes that change nothing. */
  readonly scope?: AdminScope;
}

/** Says everything about a route of operators, beside its method and its address. */
export const OperatorRoute = ({
  scope = 'read',
  failures = [],
  ...document
}: OperatorRouteFacts): MethodDecorator =>
  applyDecorators(
    InDocument('account'),
    HttpRoute(operatorScope(scope)),
    ApiSecurity('adminToken'),
    UseGuards(AdminGuard),
    Documented({ ...document, failures: [...FAILURES, ...failures] }),
  );
