import type { ThrottlerStorage } from '@nestjs/throttler';

type Record = Awaited<ReturnType<ThrottlerStorage['increment']>>;

export interface Hit extends Record {
  /** Takes this hit back, as long as its minute lasts. Twice is once. */
  giveBack(): void;
}

/** Where calls are counted. */
export interface RateStorage extends ThrottlerStorage {
  increment(key: string, ttl: number, limit: number): Promise<Hit>;
}

/** Does it once, whoever asks again. */
export const once = (work: () => void): (() => void) => {
  let done = false;
  return () => {
    if (!done) work();
    done = true;
  };
};
