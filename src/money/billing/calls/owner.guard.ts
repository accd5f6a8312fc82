import { type CanActivate, type ExecutionContext, Injectable, createParamDecorator } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';

import type { RouteScope } from '#people/keys/key-scopes';
import { uncountCall, showOwnLimit } from '#platform/http/limits/address-limits';
import { PayerThrottlerGuard, countAs } from '#platform/http/limits/payer-throttler.guard';
import { RateLimits } from '#platform/http/limits/rate-limits';
import { Owners, type ProvenOwner } from './owners';
import { type RouteOptions, routeOptionsOf } from '#platform/http/routes/route';
import { RequestSlot } from '#platform/http/request-slot';
import type { LimitName } from '#platform/http/limits/rate-limits.settings';

const proven = new RequestSlot<ProvenOwner>();

/** The rule of a route about an owner's objects. */
export interface OwnerRule {
  /** The name of the route in the scopes of keys. */
  readonly scope: RouteScope;
  /**
   * `whole` refuses delegated keys. `everything` refuses all callers who see only a part of the owner's rows. By
   * default every caller sees their own rows.
   */
  readonly sees?: 'whole' | 'everything';
  /** The objects that need a key or a session, as the error names them. A wallet's sign-in is refused. */
  readonly keysFor?: string;
  /**
   * A call counts against its proven owner by default, and as a challenge against its address until the proof. `address`
   * counts it only as any call of its address, and `both` also counts it against the owner.
   */
  readonly counts?: 'owner' | 'address' | 'both';
  /** The limit that counts the proven owner; `free` by default. */
  readonly limit?: LimitName;
}

const FACT = 'owner';

/** The option of a route that holds its rule. */
export const ownerRule = (rule: OwnerRule): RouteOptions => ({
  ...(rule.counts === undefined || rule.counts === 'owner' ? { limit: 'challenge', provesCaller: true } : {}),
  facts: { [FACT]: rule },
});

/** Guards routes about an owner's objects: it refuses calls without a proven owner. */
@Injectable()
export class OwnerGuard implements CanActivate {
  constructor(
    private readonly owners: Owners,
    private readonly limits: RateLimits,
    private readonly throttler: PayerThrottlerGuard,
  ) {}

  async canActivate(context: ExecutionContext): Promise<boolean> {
    const http = context.switchToHttp();
    const request = http.getRequest<FastifyRequest>();
    void http.getResponse<FastifyReply>().header('cache-control', 'no-store');
    const rule = routeOptionsOf(request).facts?.[FACT] as OwnerRule;
    const owner = await this.owners.ownerIn(request, rule.scope, rule.sees);
    if (rule.counts !== 'address') await this.count(owner, rule, context);
    if (rule.keysFor !== undefined) this.owners.refuseSignIn(owner, rule.keysFor);
    proven.set(request, owner);
    return true;
  }

  private async count(
    owner: ProvenOwner,
    { limit = 'free' }: OwnerRule,
    context: ExecutionContext,
  ): Promise<void> {
    const http = context.switchToHttp();
    const [request, reply] = [http.getRequest<FastifyRequest>(), http.getResponse<FastifyReply>()];
    countAs(request, owner.limitedAs);
    if (routeOptionsOf(request).throttle?.payer === undefined)
      showOwnLimit(request, reply, await this.limits.count(limit, owner.limitedAs));
    else await this.throttler.canActivate(context);
    // The credential of a paying owner is no guess, so the call does not count against the limit of its IP address.
    if (await this.owners.hasPaid(owner)) uncountCall(request, reply);
  }
}

/** The proven owner, as a parameter of an `@OwnerRoute`. */
export const Owner = createParamDecorator((_: unknown, context: ExecutionContext): ProvenOwner => {
  const owner = proven.get(context.switchToHttp().getRequest<FastifyRequest>());
  if (owner === undefined) {
    throw new Error('This route has no `@OwnerRoute`.');
  }
  return owner;
});
