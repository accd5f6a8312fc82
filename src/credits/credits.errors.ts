import { AppError } from '../kernel/app-error';

/** The processor did not answer, or not as it should. Its answer is for the log alone. */
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
