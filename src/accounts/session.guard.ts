import { type CanActivate, type ExecutionContext, Injectable, createParamDecorator } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';

import type { Account } from './account.entity';
import { SessionAccounts } from './session-accounts';

const signedIn = new WeakMap<FastifyRequest, Account>();

/** For routes of the account pages: nobody gets past who is not signed in. */
@Injectable()
export class SessionGuard implements CanActivate {
  constructor(private readonly sessions: SessionAccounts) {}

  async canActivate(context: ExecutionContext): Promise<boolean> {
    const http = context.switchToHttp();
    const request = http.getRequest<FastifyRequest>();
    void http.getResponse<FastifyReply>().header('cache-control', 'no-store');
    signedIn.set(request, await this.sessions.requireAccount(request));
    return true;
  }
}

/** The signed-in account, as a parameter of a route behind the session guard. */
export const SignedIn = createParamDecorator((_: unknown, context: ExecutionContext): Account => {
  const account = signedIn.get(context.switchToHttp().getRequest<FastifyRequest>());
  if (account === undefined) {
    throw new Error('This route is not behind the session guard.');
  }
  return account;
});
