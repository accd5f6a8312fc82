import { defineError } from '#kernel/app-error';
import { errorCode } from '#kernel/error-code';

export const IDEMPOTENCY_MISMATCH = errorCode('IDEMPOTENCY_MISMATCH', ['mismatch', 'conflict'], {
  means: 'This `Idempotency-Key` (422) or `payment-identifier` (409) was used for another call before.',
  remedy: 'Use a new one for a new call. To repeat the old call, send the very same body.',
});

export const REPLAY_EXPIRED = errorCode('REPLAY_EXPIRED', 'gone', {
  means: 'This call was answered and charged before, and its answer is no longer kept.',
  remedy:
    '`X-Charge-Id` leads to the receipt. To make it again, use a new idempotency key: that is a new charge.',
});

export const IdempotencyMismatch = defineError(
  IDEMPOTENCY_MISMATCH,
  'This Idempotency-Key was used for another call. Use a new one for a new call.',
  { param: 'Idempotency-Key' },
);
