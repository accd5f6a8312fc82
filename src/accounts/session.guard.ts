import {
  type CanActivate,
  type ExecutionContext,
  Injectable,
  UseGuards,
  applyDecorators,
  createParamDecorator,
} from '@nestjs/common';
import { ApiHeader, ApiSecurity } from '@nestjs/swagger';
import type { FastifyReply, FastifyRequest } from 'fastify';

import { type Acting, actingOn } from './acting';
import { SessionAccounts } from './session-accounts';

/**
 * Guards routes of the account pages. It refuses callers without a session, and callers with a role that may not call
 * the route.
 */
@Injectable()
class SessionGuard implements CanActivate {
  constructor(private readonly sessions: SessionAccounts) {}

  async canActivate(context: ExecutionContext): Promise<boolean> {
    const http = context.switchToHttp();
    void http.getResponse<FastifyReply>().header('cache-control', 'no-store');
    await this.sessions.requireActing(http.getRequest<FastifyRequest>());
    return true;
  }
}

/** A route, or a whole controller, for signed-in people. `roles.ts` has the rights of roles. */
export const SessionRoute = (): ClassDecorator & MethodDecorator =>
  applyDecorators(ApiSecurity('session'), UseGuards(SessionGuard));

/** A `SessionRoute` that also accepts a header which names the organisation. */
export const ActingRoute = (): ClassDecorator & MethodDecorator =>
  applyDecorators(
    SessionRoute(),
    ApiHeader({
      name: 'X-Organisation',
      required: false,
      description: 'The organisation that you act for. Without it, your own.',
      schema: { type: 'string', maxLength: 60 },
    }),
  );

/** The `Acting` of a route behind the session guard, as a parameter. */
export const SignedIn = createParamDecorator((_: unknown, context: ExecutionContext): Acting => {
  const acting = actingOn(context.switchToHttp().getRequest<FastifyRequest>());
  if (acting === undefined) {
    throw new Error('This route is not behind the session guard.');
  }
  return acting;
});
