import { defineError } from '#kernel/app-error';
import { INTERNAL, INVALID_REQUEST, NOT_FOUND } from '#kernel/common-codes';
import { RATE_LIMITED } from '#platform/http/limits/limits.errors';
import { errorCode } from '#kernel/error-code';
import type { AccountLinks } from './account-links';
import type { Role } from './roles';

export const MISSING_CREDENTIALS = errorCode('MISSING_CREDENTIALS', 'unauthenticated', {
  means: 'This route needs a credential, and the call has none.',
  remedy:
    'Send a key as `x-api-key`, or a wallet’s sign-in as `Sign-In-With-X`. `manageKeys` and `signIn` are the pages where people get one.',
});

const ACCOUNT_BANNED = errorCode('ACCOUNT_BANNED', 'unauthenticated', {
  means: 'The operator has closed this account.',
  remedy: 'Write to the operator if you think that this is a mistake. Other keys of the account do not help.',
});

export const ORIGIN_MISMATCH = errorCode('ORIGIN_MISMATCH', 'forbidden', {
  means: 'A changing call of a browser came from another site.',
  remedy: 'Use a key from programs. The session of a person works on the pages of this service alone.',
});

export const EmailTaken = defineError(
  errorCode('EMAIL_TAKEN', 'conflict', {
    means: 'There is an account with this email address.',
    remedy: 'Sign in instead.',
  }),
  'There is an account with this email address. Sign in instead.',
  { param: 'email' },
);

/** An unknown address and a wrong password get the same message, so that nobody can learn who has an account. */
export const InvalidLogin = defineError(
  errorCode('INVALID_LOGIN', 'unauthenticated', {
    means: 'The email address or the password is wrong.',
    remedy: 'Type them again. After many tries you have to wait.',
  }),
  (message: string = 'The email address or the password is wrong.', param?: string) => ({ message, param }),
);

/** The caller gets this only after the right password. */
export const SecondFactorRequired = defineError(
  errorCode('SECOND_FACTOR_REQUIRED', 'unauthenticated', {
    means: 'The password is right, and this account has an authenticator app as well.',
    remedy: 'Send the same again with `code`: six digits of the app, or a recovery code.',
  }),
  'Send `code` as well: six digits of your authenticator app, or a recovery code.',
  { param: 'code' },
);

export const InvalidCode = defineError(
  errorCode('INVALID_CODE', 'unauthenticated', {
    means: 'The code of the authenticator app is wrong or was used before, or so is the recovery code.',
    remedy: 'Wait for the next code. Check the clock of your phone.',
  }),
  'code is wrong, or was used before. Wait for the next one of your app, or use another recovery code.',
  { param: 'code' },
);

/**
 * Without this limit, a thief of the password could try all codes. The owner can still sign in with a recovery code.
 */
export const TooManyCodes = defineError(
  RATE_LIMITED,
  'Too many wrong codes within a day. Use a recovery code, or wait for a day.',
  {
    param: 'code',
    retryAfterSeconds: 86_400,
  },
);

export const SecondFactorOn = defineError(
  errorCode('SECOND_FACTOR_ON', 'conflict', {
    means: 'The account has an authenticator app already.',
    remedy: 'Remove it first, which needs a code of it.',
  }),
  'An authenticator app is set up already. Remove it first.',
);

export const NoSecondFactor = defineError(
  errorCode('NO_SECOND_FACTOR', 'conflict', {
    means: 'The account has no authenticator app, or its set-up took longer than 15 minutes.',
    remedy: 'Begin the set-up again.',
  }),
  (message: string) => message,
);

/** Every fault of a passkey gets the same answer, so that nobody can learn which passkeys exist. */
export const PasskeyRefused = defineError(
  errorCode('PASSKEY_REFUSED', 'unauthenticated', {
    means: 'The passkey is unknown, belongs to another service, or answered an old or used challenge.',
    remedy: 'Ask for new options and try again, or sign in with the password.',
  }),
  (cause?: unknown) => ({
    message: 'This passkey was not accepted. Try again, or sign in with your password.',
    cause,
  }),
);

/** Browsers make passkeys for names, not for bare IP addresses. */
export const PasskeysImpossible = defineError(
  errorCode('PASSKEYS_UNAVAILABLE', 'conflict', {
    means:
      'The service has no host name, so browsers make no passkeys for it; or the account has ten passkeys.',
    remedy: 'The message says which. Open the service by its name, or remove a passkey.',
  }),
  (message: string = 'Passkeys need a service with a host name; this one has an IP address.') => message,
);

export const ResetExpired = defineError(
  errorCode('RESET_EXPIRED', 'gone', {
    means: 'The link that sets a new password was used, is too old, or is incomplete.',
    remedy: 'Ask for a new one. The newest mail has it.',
  }),
  'This link was used before, is too old, or is incomplete. Ask for a new one.',
  { param: 'token' },
);

export const ProofExpired = defineError(
  errorCode('PROOF_EXPIRED', 'gone', {
    means: 'The link that proves an address is too old, incomplete, or for another account.',
    remedy: 'Sign in and ask for a new link: POST /v1/account/address-proof/mail.',
  }),
  'This link is too old, incomplete, or for another account. POST /v1/account/address-proof/mail sends a new one.',
  { param: 'token' },
);

export const ProofRefused = defineError(
  INVALID_REQUEST,
  'The mail server refuses your address. Make an account with another one.',
);

/** The mail server did not take the mail, so no link is under way. */
export const ProofNotMailed = defineError(
  INTERNAL,
  (why: string) => ({
    message: 'The mail could not be sent. Try again in 30 seconds.',
    cause: new Error(why),
    retryAfterSeconds: 30,
  }),
  { kind: 'unavailable' },
);

export const EmailNotProven = defineError(
  errorCode('EMAIL_NOT_PROVEN', 'forbidden', {
    means: 'Keys, invites, second factors, closing and top-ups need a proven email address.',
    remedy: 'Open the link of the mail that you got. POST /v1/account/address-proof/mail sends it again.',
  }),
  'This needs a proven email address. Open the link in your mail. POST /v1/account/address-proof/mail sends it again.',
);

export const NoMail = defineError(
  errorCode('NO_MAIL', 'conflict', {
    means: 'This service sends no mail.',
    remedy: 'Ask its operator for a link that sets a new password.',
  }),
  'This service sends no mail. Ask its operator for a link that sets a new password.',
);

/** The balance of a closed account is lost, so the owner must name the amount. */
export const BalanceDiffers = defineError(
  errorCode('BALANCE_DIFFERS', 'conflict', {
    means:
      'An account or an organisation with a balance is closed only if `leaveMicro` names the exact balance.',
    remedy: 'Read the message, and send its number if you want to leave that money behind.',
  }),
  (micro: string) =>
    `The balance is ${micro} micro-dollars. Send this number as leaveMicro to leave it behind.`,
  { param: 'leaveMicro' },
);

/** Attackers try common passwords first. The limit on sign-ins can't protect an account with such a password. */
export const CommonPassword = defineError(INVALID_REQUEST, (param: string) => ({
  message: `${param} is a common one, or your own name. Choose another one, such as four words of your own.`,
  param,
}));

export const NotSignedIn = defineError(MISSING_CREDENTIALS, ({ signIn }: AccountLinks) => ({
  message: 'You are not signed in, or your session has expired. Sign in, then send it again.',
  links: { signIn },
}));

export const AccountBanned = defineError(ACCOUNT_BANNED, ({ manageKeys, signIn }: AccountLinks) => ({
  message: 'This account is closed. Write to support if you think that this is a mistake.',
  links: { manageKeys, signIn },
}));

/** This organisation is closed. Its members may still act for themselves and for other organisations. */
export const OrganisationClosed = defineError(ACCOUNT_BANNED, ({ manageKeys, signIn }: AccountLinks) => ({
  message:
    'This organisation is closed. Its owners may write to support if they think that this is a mistake.',
  links: { manageKeys, signIn },
}));

/** A caller who is no member must not even learn whether the organisation exists. */
export const NoSuchOrganisation = defineError(NOT_FOUND, (param: string) => ({
  message: 'There is no organisation with this id, or you are no member of it.',
  param,
}));

/** `needed` are the permitted roles, the highest first. */
export const RoleRequired = defineError(
  errorCode('ROLE_REQUIRED', 'forbidden', {
    means: 'You are a member of this organisation, but your role may not do this.',
    remedy: 'The message names the permitted roles. Ask an owner, or act for another organisation.',
  }),
  (needed: readonly Role[], role: Role) =>
    `This needs the role ${listOf(needed)}; yours in this organisation is ${role}. Ask one of its owners.`,
);

const listOf = (roles: readonly Role[]): string =>
  roles.length < 2 ? roles.join('') : `${roles.slice(0, -1).join(', ')} or ${roles.at(-1)}`;

export const OriginMismatch = defineError(
  ORIGIN_MISMATCH,
  (origin: string) =>
    `A signed-in call that changes something must come from ${origin}, named in its Origin header.`,
);

/** The hash of a password is slow by design. This limit prevents that a flood of sign-ins slows paying callers. */
export class SignInBusy extends defineError(
  INTERNAL,
  'Too many people are signing in; send the same call again shortly.',
  { kind: 'unavailable', retryAfterSeconds: 2 },
) {}
