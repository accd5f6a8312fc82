import { type CanActivate, type ExecutionContext, Inject, Injectable, SetMetadata } from '@nestjs/common';
import { Reflector } from '@nestjs/core';
import type { FastifyReply, FastifyRequest } from 'fastify';

import { callerOf } from '#platform/http/limits/caller-address';
import { RateLimits } from '#platform/http/limits/rate-limits';
import { NotAnAdmin, NotInAdminScope } from './admin.errors';
import { noteOperator, operatorWith } from './operators';
import { RefusedOperators } from './refused-operators';
import type { AdminScope } from '#people/identity/admins';
import { SETTINGS } from '#platform/config/settings';
import type { AdminSettings } from '#people/identity/admins.settings';

const SCOPE = 'admin scope';

/** Sets the scope that an operator needs for this route. Every operator may read. */
export const ForAdmins = (scope: AdminScope): MethodDecorator => SetMetadata(SCOPE, scope);

/** Admits operators by their tokens. Wrong tokens count against the address, so that guesses are limited. */
@Injectable()
export class AdminGuard implements CanActivate {
  constructor(
    @Inject(SETTINGS) private readonly settings: AdminSettings,
    private readonly limits: RateLimits,
    private readonly refused: RefusedOperators,
    private readonly reflector: Reflector,
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
      const scope = this.reflector.get<AdminScope | undefined>(SCOPE, context.getHandler()) ?? 'read';
      if (!operator.scopes.includes(scope)) throw new NotInAdminScope(operator.name, scope);
      noteOperator(request, operator);
      return true;
    }
    await this.refused.note(request);
    throw new NotAnAdmin();
  }
}
