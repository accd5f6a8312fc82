import { AppError } from '../kernel/app-error';

/** The wallet header is invalid. The message names the invalid part, so that an agent can correct it. */
export class InvalidSignIn extends AppError {
  readonly kind = 'unauthenticated';
  readonly code = 'INVALID_SIGN_IN';

  constructor(problem: string) {
    super(`Sign-In-With-X is not valid: ${problem}.`, { param: 'Sign-In-With-X' });
  }
}

/** Only the chain can check a contract wallet's signature, and the chain does not answer. */
export class SignInUnverifiable extends AppError {
  readonly kind = 'unavailable';
  readonly code = 'PAYMENT_UNAVAILABLE';

  constructor(cause?: unknown) {
    super('The signature could not be checked just now. Send the same call again in a moment.', {
      retryAfterSeconds: 2,
      cause,
    });
  }
}
