import { type CanActivate, type ExecutionContext, Inject, Injectable } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';

import { callerOf } from '#platform/http/limits/caller-address';
import { RateLimits } from '#platform/http/limits/rate-limits';
import { routeOptionsOf } from '#platform/http/routes/route';
import { NotAnAdmin, NotInAdminScope } from './admin.errors';
import { noteOperator, operatorWith } from './operators';
import { scopeIn } from './operator-scope';
import { RefusedOperators } from './refused-operators';
import { SETTINGS } from '#platform/config/settings';
import type { AdminSettings } from '#people/identity/admins.settings';

/** Admits operators by their tokens. Wrong tokens count against the address, so that guesses are limited. */
@Injectable()
export class AdminGuard implements CanActivate {
  constructor(
    @Inject(SETTINGS) private readonly settings: AdminSettings,
    private readonly limits: RateLimits,
    private readonly refused: RefusedOperators,
  ) {}

  async canActivate(context: ExecutionContext): Promise<boolean> {
    const http = context.switchToHttp();
    const request = http.getRequest<FastifyRequest>();
    void http.getResponse<FastifyReply>().header('cache-control', 'no-store');
    const given = /^bearer +(.+)$/i.exec(request.headers.authorization ?? '')?.[1] ?? '';
    const operator = operatorWith(given, this.settings.admins);
    // Every call counts before its answer, so calls at the same time make no further guesses. A right token is uncounted
    // at once: without `await`, many right calls at the same time do not count together.
    const taken = this.limits.take('signIn', `admin:${callerOf(request)}`, operator === undefined);
    const counted = taken instanceof Promise ? await taken : taken;
    if (operator !== undefined) {
      counted.uncount();
      const scope = scopeIn(routeOptionsOf(request))!;
      if (!operator.scopes.includes(scope)) throw new NotInAdminScope(operator.name, scope);
      noteOperator(request, operator);
      return true;
    }
    await this.refused.note(request);
    throw new NotAnAdmin();
  }
}
