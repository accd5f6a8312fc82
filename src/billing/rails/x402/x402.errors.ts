import { AppError, type ErrorExtras } from '../../../kernel/app-error';

/** There is no payment yet. The extras contain the requirements, in both versions of the protocol. */
export class PaymentRequired extends AppError {
  readonly kind = 'payment_required';
  readonly code = 'PAYMENT_REQUIRED';
}

/** The payment can't be accepted. The extras contain fresh requirements. */
export class InvalidPayment extends AppError {
  readonly kind = 'payment_required';
  readonly code = 'INVALID_PAYMENT';
}

export class FundsShort extends AppError {
  readonly kind = 'payment_required';
  readonly code = 'INSUFFICIENT_FUNDS';
}

/** The service can't check payments now. It has claimed nothing, so the caller may send the same signature again. */
export class PaymentUnavailable extends AppError {
  readonly kind = 'unavailable';
  readonly code = 'PAYMENT_UNAVAILABLE';

  constructor(extras: ErrorExtras = {}) {
    super('Payments cannot be checked at the moment. Nothing was taken: send the very same call again.', {
      retryAfterSeconds: 5,
      ...extras,
    });
  }
}
