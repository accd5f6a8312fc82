import { defineError } from '#kernel/app-error';
import { IDEMPOTENCY_MISMATCH } from '#kernel/common-codes';

export const IdempotencyMismatch = defineError(
  IDEMPOTENCY_MISMATCH,
  'This Idempotency-Key was used for another call. Use a new one for a new call.',
  { param: 'Idempotency-Key' },
);
