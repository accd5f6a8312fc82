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

export const RegionUnavailable = defineError(
  errorCode('REGION_UNAVAILABLE', 'region', {
    means: 'The service may not be used from the region of this call.',
    remedy: 'No change of the call helps.',
  }),
  'Generation is not available in your region.',
);

export const WalletBlocked = defineError(
  errorCode('WALLET_BLOCKED', 'region', {
    means: 'This wallet is on a list of sanctions, so the service may take no payment from it.',
    remedy: 'No change of the call helps.',
  }),
  'This wallet cannot be served.',
);

export const AdultsOnly = defineError(
  errorCode('ADULTS_ONLY', 'forbidden', {
    means: 'The model is for adults only, and the operator has not allowed this account or wallet to use it.',
    remedy: 'Use another model, or ask the operator to allow your account or wallet.',
  }),
  (model: string) =>
    `${model} is only for callers whom the operator has allowed to use models for adults. Nothing was charged.`,
  { param: 'model' },
);
