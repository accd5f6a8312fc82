import type { ThrottlerStorage } from '@nestjs/throttler';

import type { MaybePromise } from '#kernel/maybe-promise';

type Record = Awaited<ReturnType<ThrottlerStorage['increment']>>;

export interface Hit extends Record {
  /** Removes this hit from the count of its minute. A second call has no effect. */
  uncount(): void;
}

export interface RateStorage extends ThrottlerStorage {
  /** Like the library's `increment`, but a count in memory needs no await. */
  count(key: string, ttl: number, limit: number): MaybePromise<Hit>;
}

/** Returns a function that runs `work` at its first call, and does nothing at later calls. */
export const once = (work: () => void): (() => void) => {
  let done = false;
  return () => {
    if (!done) work();
    done = true;
  };
};
