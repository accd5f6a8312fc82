import {
  type CanActivate,
  type ExecutionContext,
  Injectable,
  UseGuards,
  applyDecorators,
  createParamDecorator,
} from '@nestjs/common';
import { Reflector } from '@nestjs/core';
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

interface OwnerRule {
  /** The name of these routes in the scopes of keys. */
  readonly scope: RouteScope;
  /** The limit that counts the proven owner; `free` by default. */
  readonly limit?: LimitName;
}

const RULE = Reflector.createDecorator<OwnerRule>();

/** Guards routes about an owner's objects: it refuses calls without a proven owner. */
@Injectable()
class OwnerGuard implements CanActivate {
  constructor(
    private readonly reflector: Reflector,
    private readonly owners: Owners,
    private readonly limits: RateLimits,
    private readonly throttler: PayerThrottlerGuard,
  ) {}

  async canActivate(context: ExecutionContext): Promise<boolean> {
    const http = context.switchToHttp();
    const request = http.getRequest<FastifyRequest>();
    const reply = http.getResponse<FastifyReply>().header('cache-control', 'no-store');
    const { scope, limit = 'free' } = this.reflector.get(RULE, context.getClass());
    const owner = await this.owners.ownerIn(request, scope);
    countAs(request, owner.limitedAs);
    if (routeOptionsOf(request).throttle?.payer === undefined)
      showOwnLimit(request, reply, await this.limits.count(limit, owner.limitedAs));
    else await this.throttler.canActivate(context);
    // The credential of a paying owner is no guess, so the call does not count against the limit of its IP address.
    if (await this.owners.hasPaid(owner)) uncountCall(request, reply);
    proven.set(request, owner);
    return true;
  }
}

/** Proves the owner for each route of a controller, and counts the owner's calls. */
export const ForOwners = (rule: OwnerRule): ClassDecorator =>
  applyDecorators(RULE(rule), UseGuards(OwnerGuard));

/** A call without a credential counts against the address; a proven owner's call counts against the owner. */
export const OWNER_ROUTE = { limit: 'challenge', provesCaller: true } as const;

/** The proven owner, as a parameter of a route of `ForOwners`. */
export const Owner = createParamDecorator((_: unknown, context: ExecutionContext): ProvenOwner => {
  const owner = proven.get(context.switchToHttp().getRequest<FastifyRequest>());
  if (owner === undefined) {
    throw new Error('This controller has no `@ForOwners`.');
  }
  return owner;
});
