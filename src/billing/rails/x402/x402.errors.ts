import { AppError, type ErrorExtras } from '../../../kernel/app-error';

/** Nobody has paid yet: the extras carry what to pay, in both versions of the protocol. */
export class PaymentRequired extends AppError {
  readonly kind = 'payment_required';
  readonly code = 'PAYMENT_REQUIRED';
}

/** A payment was sent that can't be taken. The extras carry fresh requirements. */
export class InvalidPayment extends AppError {
  readonly kind = 'payment_required';
  readonly code = 'INVALID_PAYMENT';
}

export class FundsShort extends AppError {
  readonly kind = 'payment_required';
  readonly code = 'INSUFFICIENT_FUNDS';
}

/** The verifier is down. Nothing was claimed, so the same signature may come again. */
export class PaymentUnavailable extends AppError {
  readonly kind = 'unavailable';
  readonly code = 'PAYMENT_UNAVAILABLE';

  constructor(extras: ErrorExtras = {}) {
    super('Payments can not be checked at the moment. Nothing was taken: send the very same call again.', {
      retryAfterSeconds: 5,
      ...extras,
    });
  }
}
