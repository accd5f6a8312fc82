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

/** For routes of the account pages: nobody gets past who is not signed in, or whose role may not do it. */
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

/** A route, or all of a controller, for who is signed in. What a role may do stands in `roles.ts`. */
export const SessionRoute = (): ClassDecorator & MethodDecorator =>
  applyDecorators(ApiSecurity('session'), UseGuards(SessionGuard));

/** The same, where a header says for which organisation. */
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

/** Who is signed in and for whom they act, as a parameter of a route behind the session guard. */
export const SignedIn = createParamDecorator((_: unknown, context: ExecutionContext): Acting => {
  const acting = actingOn(context.switchToHttp().getRequest<FastifyRequest>());
  if (acting === undefined) {
    throw new Error('This route is not behind the session guard.');
  }
  return acting;
});
