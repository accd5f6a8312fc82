import { type ExecutionContext, Injectable } from '@nestjs/common';
import {
  InjectThrottlerOptions,
  InjectThrottlerStorage,
  ThrottlerGuard,
  type ThrottlerModuleOptions,
  type ThrottlerRequest,
  ThrottlerStorage,
} from '@nestjs/throttler';
import { Reflector } from '@nestjs/core';
import type { FastifyReply, FastifyRequest } from 'fastify';

import { RequestSlot } from '../request-slot';
import { addressOf, routeOptionsOf } from '../routes/route';
import { showOwnLimit } from './address-limits';
import { callerOf } from './caller-address';
import { RateLimits } from './rate-limits';

/** The limit for a throttler that does not apply to the route. */
const NO_LIMIT = Number.MAX_SAFE_INTEGER;

const payers = new RequestSlot<string>();

/** Sets the proven payer or owner against whose limit the request counts. */
export const countAs = (request: FastifyRequest, payer: string): void => payers.set(request, payer);

/**
 * Counts proven payers and owners against the limit of a route's `@Throttle`. Routes without it use the default limits
 * of their kind, and count a repeated call only once.
 */
@Injectable()
export class PayerThrottlerGuard extends ThrottlerGuard {
  constructor(
    @InjectThrottlerOptions() options: ThrottlerModuleOptions,
    @InjectThrottlerStorage() storage: ThrottlerStorage,
    reflector: Reflector,
    private readonly limits: RateLimits,
  ) {
    super(options, storage, reflector);
  }

  override async onModuleInit(): Promise<void> {
    await super.onModuleInit();
    const named = this.throttlers.filter(({ name }) => name !== 'address');
    this.throttlers = named.map((throttler) => ({ ...throttler, limit: NO_LIMIT }));
  }

  protected override shouldSkip(context: ExecutionContext): Promise<boolean> {
    const { throttle } = routeOptionsOf(context.switchToHttp().getRequest<FastifyRequest>());
    return Promise.resolve(throttle?.payer === undefined || throttle.payer === 'skip');
  }

  protected override async handleRequest({ context, limit, ttl }: ThrottlerRequest): Promise<boolean> {
    if (limit === NO_LIMIT) return true;
    const http = context.switchToHttp();
    const request = http.getRequest<FastifyRequest>();
    const payer = payers.get(request) ?? callerOf(request);
    const { headers } = await this.limits.countTo(
      limit,
      `${addressOf(request)}|${request.method}|${payer}`,
      ttl,
    );
    showOwnLimit(request, http.getResponse<FastifyReply>(), headers);
    return true;
  }
}
