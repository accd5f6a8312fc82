import { Inject, Injectable } from '@nestjs/common';
import { ThrottlerStorage } from '@nestjs/throttler';

import { AppError } from '../../../kernel/app-error';
import { type LimitName, SETTINGS, type Settings } from '../../config/settings';
import type { RateStorage } from './rate-storage';

const MINUTE_MS = 60_000;

class RateLimited extends AppError {
  readonly kind = 'rate_limited';
  readonly code = 'RATE_LIMITED';

  constructor(limit: number, waitSeconds: number, headers: Readonly<Record<string, string>>) {
    super(`At most ${limit} such calls a minute. Wait ${waitSeconds} seconds, then send it again.`, {
      headers,
      retryAfterSeconds: waitSeconds,
    });
  }
}

/** A place among the calls of a minute, which its holder may give back. */
export interface Place {
  /** What the answer says of the limit. */
  readonly headers: Readonly<Record<string, string>>;
  readonly giveBack: () => void;
}

const BOUNDLESS: Place = { headers: {}, giveBack: () => undefined };

/** Counts calls per minute, in memory or, with Redis, together with all other processes. */
@Injectable()
export class RateLimits {
  private readonly limits: Settings['limits'];

  constructor(
    @Inject(ThrottlerStorage) private readonly storage: RateStorage,
    @Inject(SETTINGS) settings: Settings,
  ) {
    this.limits = settings.limits;
  }

  /** Counts one call of `who`. Answers the headers to send; throws when it is one too many. */
  async count(name: LimitName, who: string): Promise<Readonly<Record<string, string>>> {
    return (await this.take(name, who, 'keeps')).headers;
  }

  /**
   * The same for a call that may prove to be none that the limit is about. One that is refused `leaves` its place at
   * once, so that places are held only by those who got in.
   */
  async take(name: LimitName, who: string, refused: 'keeps' | 'leaves' = 'leaves'): Promise<Place> {
    const limit = this.limits[name];
    return limit === 0 ? BOUNDLESS : this.hit(`${name}|${who}`, limit, refused);
  }

  /** Counts one call of `who` to a limit of its own. */
  async countTo(limit: number, who: string): Promise<void> {
    await this.hit(who, limit, 'keeps');
  }

  private async hit(who: string, limit: number, refused: 'keeps' | 'leaves'): Promise<Place> {
    const hit = await this.storage.increment(who, MINUTE_MS, limit);
    const seconds = Math.max(1, hit.isBlocked ? hit.timeToBlockExpire : hit.timeToExpire);
    const headers = {
      'ratelimit-limit': String(limit),
      'ratelimit-remaining': String(Math.max(0, limit - hit.totalHits)),
      'ratelimit-reset': String(seconds),
    };
    if (hit.isBlocked) {
      if (refused === 'leaves') hit.giveBack();
      throw new RateLimited(limit, seconds, headers);
    }
    return { headers, giveBack: () => hit.giveBack() };
  }
}
