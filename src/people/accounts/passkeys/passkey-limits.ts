/** The most passkeys of an account. */
export const PASSKEYS_MAX = 10;
export const TOO_MANY_PASSKEYS = `An account has at most ${PASSKEYS_MAX} passkeys, and each belongs to one account. Remove one first.`;
