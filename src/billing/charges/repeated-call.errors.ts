import { AppError } from '../../kernel/app-error';
import { withoutAbsent } from '../../kernel/present';

/** The `payment-identifier` belongs to another call. The protocol of the identifier requires a 409. */
export class PaymentIdMismatch extends AppError {
  readonly kind = 'conflict';
  readonly code = 'IDEMPOTENCY_MISMATCH';

  constructor() {
    super('This payment-identifier was used for another call. Use a new one for a new call.');
  }
}

export class IdempotencyInFlight extends AppError {
  readonly kind = 'conflict';
  readonly code = 'IDEMPOTENCY_IN_FLIGHT';

  /** `chargeId` is absent if the first call has no charge yet, or if its charge changes too quickly. */
  constructor(chargeId?: string) {
    super(
      'The first call with this idempotency key still runs. Send the same call again in a moment to get its answer.',
      {
        retryAfterSeconds: 2,
        headers: withoutAbsent({ 'x-should-retry': 'true', 'x-charge-id': chargeId || undefined }),
      },
    );
  }
}

export class ReplayExpired extends AppError {
  readonly kind = 'gone';
  readonly code = 'REPLAY_EXPIRED';

  constructor(chargeId: string) {
    super(`This call was answered and charged before (${chargeId}); its answer is no longer kept.`, {
      headers: { 'x-charge-id': chargeId },
    });
  }
}
