import { defineError } from '#kernel/app-error';
import { errorCode } from '#kernel/error-code';
import type { LimitName } from './rate-limits.settings';

export const RATE_LIMITED = errorCode('RATE_LIMITED', 'rate_limited', {
  means:
    'Too many calls in a minute, or too many open streams, by you or from your address. The message names the limit.',
  remedy:
    'Wait for `Retry-After` seconds. `RateLimit-Remaining` and `RateLimit-Reset` of every answer show it beforehand.',
});

export interface CallLimit {
  /** Undefined for the limit of one route. */
  readonly name?: LimitName;
  readonly limit: number;
  readonly ms: number;
}

export class RateLimited extends defineError(RATE_LIMITED) {
  constructor(
    { name, limit, ms }: CallLimit,
    waitSeconds: number,
    headers: Readonly<Record<string, string>>,
  ) {
    const which = name === undefined ? 'The limit of this route' : `The limit "${name}"`;
    const span = ms === 60_000 ? 'a minute' : `in ${Math.ceil(ms / 1_000)} seconds`;
    super(`${which} is ${limit} calls ${span}. Wait ${waitSeconds} seconds, then send it again.`, {
      headers,
      retryAfterSeconds: waitSeconds,
    });
  }
}
