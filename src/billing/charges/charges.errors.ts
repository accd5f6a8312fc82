import { AppError, type ErrorExtras } from '../../kernel/app-error';
import { type Micro, usdText } from '../../kernel/money';
import { withoutAbsent } from '../../kernel/present';
import { ProviderUnavailable, SubmissionInDoubt } from '../../providers/providers.errors';

export class InsufficientFunds extends AppError {
  readonly kind = 'payment_required';
  readonly code = 'INSUFFICIENT_FUNDS';

  constructor(
    price: Micro,
    balance: Micro,
    extras: ErrorExtras,
    message = `The balance is $${usdText(balance)} and this call costs $${usdText(price)}. Top up, then send it again.`,
  ) {
    super(message, extras);
  }
}

export class KeySpendLimit extends AppError {
  readonly kind = 'payment_required';
  readonly code = 'KEY_SPEND_LIMIT';

  constructor(
    manageKeys: string,
    message = 'This call would pass what the key, or one above it, may spend. Raise the limit, or use another key.',
  ) {
    super(message, { links: { manageKeys } });
  }
}

/** Another call than the first one with this `payment-identifier`; its protocol wants a 409. */
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

  /** Without an id when the first one changes so quickly that it can't be named. */
  constructor(chargeId?: string) {
    super(
      'The first call with this mark still runs. Send the same call again in a moment to get its answer.',
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
