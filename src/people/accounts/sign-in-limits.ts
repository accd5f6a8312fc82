/** A session expires after this time. */
export const SESSION_SECONDS = 30 * 24 * 60 * 60;
/** The most open sessions of an account. A further sign-in ends the oldest one. */
export const SESSIONS_MAX = 20;
/** The most passkeys of an account. */
export const PASSKEYS_MAX = 10;
export const TOO_MANY_PASSKEYS = `An account has at most ${PASSKEYS_MAX} passkeys, and each belongs to one account. Remove one first.`;
