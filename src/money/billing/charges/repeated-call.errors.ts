import { defineError } from '#kernel/app-error';
import { IDEMPOTENCY_MISMATCH, REPLAY_EXPIRED } from '#kernel/common-codes';
import { errorCode } from '#kernel/error-code';
import { withoutAbsent } from '#kernel/present';

/** The `payment-identifier` belongs to another call. The protocol of the identifier requires a 409. */
export const PaymentIdMismatch = defineError(
  IDEMPOTENCY_MISMATCH,
  'This payment-identifier was used for another call. Use a new one for a new call.',
  { kind: 'conflict' },
);

export const IdempotencyInFlight = defineError(
  errorCode('IDEMPOTENCY_IN_FLIGHT', 'conflict', {
    means: 'The first call with this idempotency key still runs.',
    remedy:
      'Wait for `Retry-After` and send the same call again: it gets the answer of the first. It is charged once.',
  }),
  (chargeId?: string) => ({
    message:
      'The first call with this idempotency key still runs. Send the same call again in a moment to get its answer.',
    retryAfterSeconds: 2,
    headers: withoutAbsent({ 'x-should-retry': 'true', 'x-charge-id': chargeId || undefined }),
  }),
);

export const ReplayExpired = defineError(REPLAY_EXPIRED, (chargeId: string) => ({
  message: `This call was answered and charged before (${chargeId}); its answer is no longer kept.`,
  headers: { 'x-charge-id': chargeId },
}));
