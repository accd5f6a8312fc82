import { type CanActivate, type ExecutionContext, Injectable, createParamDecorator } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';

import { Owners, type ProvenOwner } from '../billing/calls/owners';
import { tellOwnLimit } from '../platform/http/limits/address-limits';
import { RateLimits } from '../platform/http/limits/rate-limits';
import { FreeReferences } from './free-references';

const proven = new WeakMap<FastifyRequest, ProvenOwner>();

/** For routes of a library: nobody gets past who has not proven whose it is. */
@Injectable()
export class ReferenceOwnerGuard implements CanActivate {
  constructor(
    private readonly owners: Owners,
    private readonly limits: RateLimits,
    private readonly free: FreeReferences,
  ) {}

  async canActivate(context: ExecutionContext): Promise<boolean> {
    const http = context.switchToHttp();
    const request = http.getRequest<FastifyRequest>();
    const reply = http.getResponse<FastifyReply>().header('cache-control', 'no-store');
    const owner = await this.owners.ownerIn(request);
    tellOwnLimit(request, reply, await this.limits.count('references', owner.limitedAs));
    await this.free.welcome(owner, request, reply);
    proven.set(request, owner);
    return true;
  }
}

/** The proven owner, as a parameter of a route behind the guard. */
export const Owner = createParamDecorator((_: unknown, context: ExecutionContext): ProvenOwner => {
  const owner = proven.get(context.switchToHttp().getRequest<FastifyRequest>());
  if (owner === undefined) {
    throw new Error('This route is not behind the guard of references.');
  }
  return owner;
});
