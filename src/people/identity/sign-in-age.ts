import { InvalidSignIn } from './identity.errors';
import type { SignInMessage } from './sign-in-message';

/** The time for which a sign-in is valid after its `Issued At`. */
export const SIGN_IN_MS_MAX = 5 * 60_000;
/** The time by which the clock of a wallet may be ahead of ours. */
const AHEAD_MS_MAX = 60_000;

type Times = Pick<SignInMessage, 'issuedAt' | 'expiresAt' | 'notBefore'>;

/** Refuses a sign-in that is too old, from the future, expired, or not valid yet. */
export const checkSignInAge = ({ issuedAt, expiresAt, notBefore }: Times, now: Date): void => {
  const age = now.getTime() - issuedAt.getTime();
  if (age > SIGN_IN_MS_MAX)
    throw new InvalidSignIn('Issued At is more than 5 minutes ago; sign a new message');
  if (age < -AHEAD_MS_MAX) throw new InvalidSignIn('Issued At lies in the future; check your clock');
  if (expiresAt !== undefined && expiresAt <= now)
    throw new InvalidSignIn('its Expiration Time has passed; sign a new message');
  if (notBefore !== undefined && notBefore.getTime() > now.getTime() + AHEAD_MS_MAX)
    throw new InvalidSignIn('its Not Before has not come yet');
};
