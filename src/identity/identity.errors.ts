import { AppError } from '../kernel/app-error';

/** The wallet header is no good; the message says which part, so that an agent can mend it by itself. */
export class InvalidSignIn extends AppError {
  readonly kind = 'unauthenticated';
  readonly code = 'INVALID_SIGN_IN';

  constructor(problem: string) {
    super(`Sign-In-With-X is not valid: ${problem}.`, { param: 'Sign-In-With-X' });
  }
}

/** A contract wallet's signature can be checked only on chain, and the chain does not answer. */
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
