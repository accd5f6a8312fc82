import { defineError } from '#kernel/app-error';
import { errorCode } from '#kernel/error-code';

export const PAYMENT_UNAVAILABLE = errorCode('PAYMENT_UNAVAILABLE', 'unavailable', {
  means: 'Payments can’t be verified now. Nothing was taken.',
  remedy: 'Send the very same call again after `Retry-After`. Sign no second payment.',
});

/** The wallet header is invalid. The message names the invalid part, so that an agent can correct it. */
export const InvalidSignIn = defineError(
  errorCode('INVALID_SIGN_IN', 'unauthenticated', {
    means: 'The wallet’s sign-in is malformed, too old, for another service, or not signed by that wallet.',
    remedy:
      'The message names the fault. Sign a new message with the present time, and check your clock: a sign-in is valid for minutes.',
  }),
  (problem: string) => `Sign-In-With-X is not valid: ${problem}.`,
  { param: 'Sign-In-With-X' },
);

/** Only the chain can check a contract wallet's signature, and the chain does not answer. */
export const SignInUnverifiable = defineError(PAYMENT_UNAVAILABLE, (cause?: unknown) => ({
  message: 'The signature could not be checked just now. Send the same call again in a moment.',
  retryAfterSeconds: 2,
  cause,
}));
