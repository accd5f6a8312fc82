import type { FastifyInstance } from 'fastify';

import type { AdminScope } from '#people/identity/admins';
import { declarePageAccess } from '#platform/http/answers/browser-headers';
import { type RouteOptions, watchRoutes } from '#platform/http/routes/route';

const OPERATORS = '/v1/admin';
const FACT = 'operator scope';

declarePageAccess({ own: [OPERATORS] });

/** The option of a route that holds the scope that an operator needs for it. */
export const operatorScope = (scope: AdminScope): RouteOptions => ({ facts: { [FACT]: scope } });

export const scopeIn = ({ facts }: RouteOptions): AdminScope | undefined =>
  facts?.[FACT] as AdminScope | undefined;

/**
 * It must run before the routes are registered. The service does not start with a route of operators that has no scope.
 * A route that changes something needs another scope than `read`.
 */
export const requireScopes = (instance: FastifyInstance): void =>
  watchRoutes(instance, OPERATORS, (line, options) => {
    const scope = scopeIn(options);
    if (scope === undefined || (scope === 'read' && !/^(?:GET|HEAD) /.test(line)))
      throw new Error(`Nothing says which operators may call ${line}. Add @OperatorRoute({ scope: … }).`);
  });
