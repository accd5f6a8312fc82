import { Inject, Injectable } from '@nestjs/common';
import { ThrottlerStorage } from '@nestjs/throttler';

import { defineError } from '#kernel/app-error';
import { RATE_LIMITED } from '#kernel/common-codes';
import { type MaybePromise, whenReady } from '#kernel/maybe-promise';
import type { Hit, RateStorage } from './rate-storage';
import type { CallLimits, LimitName, RateLimitSettings } from './rate-limits.settings';
import { SETTINGS } from '../../config/settings';

const MINUTE_MS = 60_000;

interface Limit {
  /** Undefined for the limit of one route. */
  readonly name?: LimitName;
  readonly limit: number;
  readonly ms: number;
}

class RateLimited extends defineError(RATE_LIMITED) {
  constructor({ name, limit, ms }: Limit, waitSeconds: number, headers: Readonly<Record<string, string>>) {
    const which = name === undefined ? 'The limit of this route' : `The limit "${name}"`;
    const span = ms === MINUTE_MS ? 'a minute' : `in ${Math.ceil(ms / 1_000)} seconds`;
    super(`${which} is ${limit} calls ${span}. Wait ${waitSeconds} seconds, then send it again.`, {
      headers,
      retryAfterSeconds: waitSeconds,
    });
  }
}

/** A counted call, which code can uncount later. */
export interface CountedCall {
  /** The headers of the limit. */
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
    const limit = this.limits[name];
    return limit === 0
      ? BOUNDLESS
      : this.hit(`${name}|${who}`, { name, limit, ms: MINUTE_MS }, countsRefused);
  }

  /** Counts one call of `who` against the given limit. */
  countTo(limit: number, who: string, ms = MINUTE_MS): MaybePromise<CountedCall> {
    return this.hit(who, { limit, ms }, true);
  }

  private hit(who: string, limit: Limit, countsRefused: boolean): MaybePromise<CountedCall> {
    return whenReady(this.storage.count(who, limit.ms, limit.limit), (hit) =>
      countedCall(hit, limit, countsRefused),
    );
  }
}

const headersOf = ({ headers }: CountedCall): CountedCall['headers'] => headers;

const countedCall = (hit: Hit, counted: Limit, countsRefused: boolean): CountedCall => {
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
