import { Inject, Injectable } from '@nestjs/common';
import { ThrottlerStorage } from '@nestjs/throttler';
import type { FastifyInstance } from 'fastify';

import { type MaybePromise, whenReady } from '#kernel/maybe-promise';
import { type CallLimit, RateLimited } from './limits.errors';
import type { Hit, RateStorage } from './rate-storage';
import type { CallLimits, LimitName, RateLimitSettings } from './rate-limits.settings';
import { SETTINGS } from '../../config/settings';
import { routeOptionsIn } from '../routes/route';

const MINUTE_MS = 60_000;

/** A counted call, which code can uncount later. */
export interface CountedCall {
  readonly headers: Readonly<Record<string, string>>;
  readonly uncount: () => void;
}

const BOUNDLESS: CountedCall = { headers: {}, uncount: () => undefined };

/** Counts calls per minute: in the memory of this process, or in Redis for all processes together. */
@Injectable()
export class RateLimits {
  private readonly limits: CallLimits;

  constructor(
    @Inject(ThrottlerStorage) private readonly storage: RateStorage,
    @Inject(SETTINGS) settings: RateLimitSettings,
  ) {
    this.limits = settings.limits;
  }

  /** Counts one call of `who`, and returns the headers to send. It throws if the call exceeds the limit. */
  count(name: LimitName, who: string): MaybePromise<CountedCall['headers']> {
    return whenReady(this.take(name, who, true), headersOf);
  }

  /**
   * Counts a call that code may later exempt from the limit. Without `countsRefused`, a refused call is uncounted at
   * once, so only admitted calls count.
   */
  take(name: LimitName, who: string, countsRefused: boolean): MaybePromise<CountedCall> {
    this.requireKnown(name);
    const limit = this.limits[name];
    return limit === 0
      ? BOUNDLESS
      : this.hit(`${name}|${who}`, { name, limit, ms: MINUTE_MS }, countsRefused);
  }

  /** The service does not start with a route of a limit without a number. It must run before the routes are registered. */
  watch(instance: FastifyInstance): void {
    instance.addHook('onRoute', ({ config }) => {
      const { limit = 'none' } = routeOptionsIn(config);
      if (limit !== 'none') this.requireKnown(limit);
    });
  }

  /** A limit without a number would let every call pass. */
  requireKnown(name: LimitName): void {
    if (!Object.hasOwn(this.limits, name))
      throw new Error(`The rate limit ${name} has no number. List its settings in src/settings.ts.`);
  }

  /** Counts one call of `who` against the given limit. */
  countTo(limit: number, who: string, ms = MINUTE_MS): MaybePromise<CountedCall> {
    return this.hit(who, { limit, ms }, true);
  }

  private hit(who: string, limit: CallLimit, countsRefused: boolean): MaybePromise<CountedCall> {
    return whenReady(this.storage.count(who, limit.ms, limit.limit), (hit) =>
      countedCall(hit, limit, countsRefused),
    );
  }
}

const headersOf = ({ headers }: CountedCall): CountedCall['headers'] => headers;

const countedCall = (hit: Hit, counted: CallLimit, countsRefused: boolean): CountedCall => {
  const { limit } = counted;
  const seconds = Math.max(1, hit.isBlocked ? hit.timeToBlockExpire : hit.timeToExpire);
  const headers = {
    'ratelimit-limit': String(limit),
    'ratelimit-remaining': String(Math.max(0, limit - hit.totalHits)),
    'ratelimit-reset': String(seconds),
  };
  if (hit.isBlocked) {
    if (!countsRefused) hit.uncount();
    throw new RateLimited(counted, seconds, headers);
  }
  return { headers, uncount: () => hit.uncount() };
};
