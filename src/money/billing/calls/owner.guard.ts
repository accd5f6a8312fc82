import { type CanActivate, type ExecutionContext, Injectable, createParamDecorator } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';

import type { RouteScope } from '#people/keys/key-scopes';
import { uncountCall, showOwnLimit } from '#platform/http/limits/address-limits';
import { PayerThrottlerGuard, countAs } from '#platform/http/limits/payer-throttler.guard';
import { RateLimits } from '#platform/http/limits/rate-limits';
import { Owners, type ProvenOwner } from './owners';
import { routeOptionsOf } from '#platform/http/routes/route';
import { RequestSlot } from '#platform/http/request-slot';
import type { LimitName } from '#platform/http/limits/rate-limits.settings';

const proven = new RequestSlot<ProvenOwner>();

/** Guards routes about an owner's objects: it refuses calls without a proven owner. */
@Injectable()
export abstract class OwnerGuard implements CanActivate {
  /** The limit that counts the proven owner. */
  protected abstract readonly limit: LimitName;
  /** The name of these routes in the scopes of keys. */
  protected abstract readonly scope: RouteScope;

  constructor(
    private readonly owners: Owners,
    private readonly limits: RateLimits,
    private readonly throttler: PayerThrottlerGuard,
  ) {}

  async canActivate(context: ExecutionContext): Promise<boolean> {
    const http = context.switchToHttp();
    const request = http.getRequest<FastifyRequest>();
    const reply = http.getResponse<FastifyReply>().header('cache-control', 'no-store');
    const owner = await this.owners.ownerIn(request, this.scope);
    countAs(request, owner.limitedAs);
    if (routeOptionsOf(request).throttle?.payer === undefined)
      showOwnLimit(request, reply, await this.limits.count(this.limit, owner.limitedAs));
    else await this.throttler.canActivate(context);
    // The credential of a paying owner is no guess, so the call does not count against the limit of its IP address.
    if (await this.owners.hasPaid(owner)) uncountCall(request, reply);
    proven.set(request, owner);
    return true;
  }
}

/** The proven owner, as a parameter of a route behind an `OwnerGuard`. */
export const Owner = createParamDecorator((_: unknown, context: ExecutionContext): ProvenOwner => {
  const owner = proven.get(context.switchToHttp().getRequest<FastifyRequest>());
  if (owner === undefined) {
    throw new Error('This route is not behind a guard of owners.');
  }
  return owner;
});
