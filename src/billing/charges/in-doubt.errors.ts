import { AppError } from '../../kernel/app-error';
import { ProviderUnavailable, SubmissionInDoubt } from '../../providers/providers.errors';

/** The outcome of a payment or of the work is unknown: never a 402, which would make a client pay again. */
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

/** The provider may or may not have taken the work: nothing is given back until that is known. The caller reads the same. */
export class WorkInDoubt extends SubmissionInDoubt {}

/** The caller of a by-use call disconnected after a provider was asked: what was used by then is charged. */
export class CallerLeft extends ProviderUnavailable {}
