import type { FastifyInstance } from 'fastify';

import type { AdminScope } from '#people/identity/admins';
import { type RouteOptions, watchRoutes } from '#platform/http/routes/route';

const FACT = 'operator scope';

/** The option of a route that holds the scope that an operator needs for it. */
export const operatorScope = (scope: AdminScope): RouteOptions => ({ facts: { [FACT]: scope } });

export const scopeIn = ({ facts }: RouteOptions): AdminScope | undefined =>
  facts?.[FACT] as AdminScope | undefined;

/** It must run before the routes are registered. The service does not start with a route of operators that has no scope. */
export const requireScopes = (instance: FastifyInstance): void =>
  watchRoutes(instance, '/v1/admin', (line, options) => {
    if (scopeIn(options) === undefined)
      throw new Error(`Nothing says which operators may call ${line}. Add @OperatorRoute({ … }).`);
  });
