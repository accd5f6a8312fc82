import { Injectable } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';

import { type Soon, soon } from '../../../kernel/soon';
import { callerOf } from './caller-address';
import { outerOf } from '../inner-calls';
import { type Place, RateLimits } from './rate-limits';
import type { LimitName } from '../../config/settings';
import { addressOf, wishesOf } from '../routes/route';
import { RequestSlot } from '../request-slot';

const places = new RequestSlot<Place>();

/** From now on the answer tells of a limit of the caller's own, which may read just as that of its address. */
export const tellOwnLimit = (
  request: FastifyRequest,
  reply: FastifyReply,
  headers: Place['headers'],
): void => {
  void reply.headers(headers);
  const place = places.get(request);
  if (place !== undefined && Object.keys(headers).length > 0) places.set(request, { ...place, headers: {} });
};

/**
 * A call has shown that it is good for its money, or was never a guess: others behind its address may have its place,
 * and its answer tells of that no more.
 */
export const giveBackPlace = (request: FastifyRequest, reply: FastifyReply): void => {
  const place = places.get(request);
  if (place === undefined) return;
  places.set(request, undefined);
  place.giveBack();
  for (const name of Object.keys(place.headers)) reply.removeHeader(name);
};

/** Counts calls by address before anything is done for them, so that a flood costs as little as it can. */
@Injectable()
export class AddressLimits {
  constructor(private readonly limits: RateLimits) {}

  /** All calls of an address together. */
  countCall(request: FastifyRequest): Soon<void> {
    // A tool call of MCP was counted when it came in; the route that it asks is not counted again.
    if (wishesOf(request).limit === 'none' || outerOf(request) !== undefined) return undefined;
    return soon(this.limits.count('address', callerOf(request)), () => undefined);
  }

  /** The calls of an address to routes with the same limit. */
  countRoute(request: FastifyRequest, reply: FastifyReply): Soon<void> {
    const isApi = addressOf(request).startsWith('/v1/');
    const { limit = isApi ? 'free' : 'none', paid = false, limitedAs = '', throttle } = wishesOf(request);
    const own = throttle?.address;
    if (own === undefined ? limit === 'none' : own === 'skip' && !paid) return undefined;
    const caller = callerOf(request);
    // Whatever credential comes with it: until it is proven it may be one of many guesses. No route switches that off.
    const place =
      own === undefined || own === 'skip'
        ? this.limits.take(paid ? 'challenge' : (limit as LimitName), limitedAs + caller, 'keeps')
        : this.limits.countTo(own.limit, `${addressOf(request)}|${request.method}|${caller}`, own.ttl);
    return soon(place, (taken) => {
      void reply.headers(taken.headers);
      places.set(request, taken);
    });
  }
}
