import { Injectable } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';

import { type MaybePromise, whenReady } from '#kernel/maybe-promise';
import { callerOf } from './caller-address';
import { lateCallOf, outerOf } from '../inner-calls';
import { type CountedCall, RateLimits } from './rate-limits';
import { API_ROOT, addressOf, routeOptionsOf } from '../routes/route';
import { RequestSlot } from '../request-slot';
import type { LimitName } from './rate-limits.settings';

const countedCalls = new RequestSlot<CountedCall>();
const owners = new RequestSlot<string>();

/** Makes the inner calls of this request count by its proven owner, and not by an address that many owners share. */
export const countInnerAs = (request: FastifyRequest, owner: string): void => owners.set(request, owner);

/** Replaces the limit of the address by the caller's own limit in the headers of the answer. */
export const showOwnLimit = (
  request: FastifyRequest,
  reply: FastifyReply,
  headers: CountedCall['headers'],
): void => {
  void reply.headers(headers);
  const counted = countedCalls.get(request);
  if (counted !== undefined && Object.keys(headers).length > 0)
    countedCalls.set(request, { ...counted, headers: {} });
};

/**
 * Must be called when the caller has proven to have money, or when its credential was valid. The call then no longer
 * counts against its address, and its answer no longer shows that limit.
 */
export const uncountCall = (request: FastifyRequest, reply: FastifyReply): void => {
  const counted = countedCalls.get(request);
  if (counted === undefined) return;
  countedCalls.set(request, undefined);
  counted.uncount();
  for (const name of Object.keys(counted.headers)) reply.removeHeader(name);
};

/** Counts calls by address before any other work, so that a flood costs as little as possible. */
@Injectable()
export class AddressLimits {
  constructor(private readonly limits: RateLimits) {}

  /** Counts all calls of an address together. */
  countCall(request: FastifyRequest): MaybePromise<void> {
    // The outer call was counted when it arrived, so its inner call is not counted again.
    if (routeOptionsOf(request).limit === 'none' || outerOf(request) !== undefined) return undefined;
    if (lateCallOf(request) !== undefined) return undefined;
    return whenReady(this.limits.count('address', callerOf(request)), () => undefined);
  }

  /** Counts the calls of an address to routes with the same limit. */
  countRoute(request: FastifyRequest, reply: FastifyReply): MaybePromise<void> {
    if (lateCallOf(request) !== undefined) return undefined;
    const isApi = addressOf(request).startsWith(API_ROOT);
    const {
      limit = isApi ? 'free' : 'none',
      provesCaller = false,
      limitedAs = '',
      throttle,
    } = routeOptionsOf(request);
    const own = throttle?.address;
    if (own === undefined ? limit === 'none' : own === 'skip' && !provesCaller) return undefined;
    const outer = outerOf(request);
    const caller = (outer && owners.get(outer)) ?? callerOf(request);
    // A call with a credential counts until the credential is proven, because it may be one of many guesses. No route
    // can switch this off.
    const counted =
      own === undefined || own === 'skip'
        ? this.limits.take(provesCaller ? 'challenge' : (limit as LimitName), limitedAs + caller, true)
        : this.limits.countTo(own.limit, `${addressOf(request)}|${request.method}|${caller}`, own.ttl);
    return whenReady(counted, (taken) => {
      void reply.headers(taken.headers);
      countedCalls.set(request, taken);
    });
  }
}
