import { AppError } from '../kernel/app-error';

export class NoSavedCard extends AppError {
  readonly kind = 'conflict';
  readonly code = 'NO_SAVED_CARD';

  constructor(message = 'There is no saved card. Save one first, then switch automatic top-ups on.') {
    super(message);
  }
}

/** The processor did not answer, or answered wrongly. Only the log contains its answer. */
export class CheckoutUnavailable extends AppError {
  readonly kind = 'unavailable';
  readonly code = 'PAYMENT_UNAVAILABLE';

  constructor(cause: unknown) {
    super('Payments are not available for the moment. Nothing was charged; try again shortly.', {
      retryAfterSeconds: 10,
      cause,
    });
  }
}
