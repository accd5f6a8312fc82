import { AppError } from '../../kernel/app-error';
import { ProviderUnavailable, SubmissionInDoubt } from '../../providers/providers.errors';

/** The outcome of a payment or of the work is unknown. It is never a 402, which would make a client pay again. */
export class SettlementPending extends AppError {
  readonly kind = 'unavailable';
  readonly code = 'SETTLEMENT_PENDING';

  constructor(chargeId: string, cause?: unknown) {
    super('The payment is being settled. Send the very same call again: it will not be charged twice.', {
      retryAfterSeconds: 5,
      headers: { 'x-charge-id': chargeId },
      cause,
    });
  }
}

/**
 * The provider may or may not have accepted the work. Nothing is refunded until the outcome is known. The caller gets
 * the answer of `SubmissionInDoubt`.
 */
export class WorkInDoubt extends SubmissionInDoubt {}

/** The caller of a by-use call disconnected after a provider was asked. The call is charged for its use so far. */
export class CallerLeft extends ProviderUnavailable {}
