import { type Micro, micro } from '#kernel/money';

/** Stripe counts in cents. */
export const MICRO_PER_CENT = 10_000n;

export const amountOf = (cents: unknown): Micro | undefined =>
  typeof cents === 'number' && Number.isSafeInteger(cents) && cents >= 0
    ? micro(BigInt(cents) * MICRO_PER_CENT)
    : undefined;
