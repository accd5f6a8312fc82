import type { ThrottlerStorage } from '@nestjs/throttler';

import type { MaybePromise } from '../../../kernel/maybe-promise';

type Record = Awaited<ReturnType<ThrottlerStorage['increment']>>;

export interface Hit extends Record {
  /** Takes this hit back, as long as its minute lasts. Twice is once. */
  uncount(): void;
}

/** Where calls are counted. */
export interface RateStorage extends ThrottlerStorage {
  /** As the library's `increment`, but a count that is at hand need not be waited for. */
  count(key: string, ttl: number, limit: number): MaybePromise<Hit>;
}

/** Does it once, whoever asks again. */
export const once = (work: () => void): (() => void) => {
  let done = false;
  return () => {
    if (!done) work();
    done = true;
  };
};
