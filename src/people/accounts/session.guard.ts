import { type CanActivate, type ExecutionContext, Injectable, createParamDecorator } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';

import { type Acting, actingOn } from './acting-person';
import { SessionAccounts } from './session-accounts';

/**
 * Guards routes of the account pages. It refuses callers without a session, and callers with a role that may not call
 * the route.
 */
@Injectable()
export class SessionGuard implements CanActivate {
  constructor(private readonly sessions: SessionAccounts) {}

  async canActivate(context: ExecutionContext): Promise<boolean> {
    const http = context.switchToHttp();
    void http.getResponse<FastifyReply>().header('cache-control', 'no-store');
    await this.sessions.requireActing(http.getRequest<FastifyRequest>());
    return true;
  }
}

/** The `Acting` of a route behind the session guard, as a parameter. */
export const SignedIn = createParamDecorator((_: unknown, context: ExecutionContext): Acting => {
  const acting = actingOn(context.switchToHttp().getRequest<FastifyRequest>());
  if (acting === undefined) throw new Error('This route is not behind the session guard.');
  return acting;
});
