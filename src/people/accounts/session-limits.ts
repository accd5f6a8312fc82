/** A session expires after this time. */
export const SESSION_SECONDS = 30 * 24 * 60 * 60;
/** The most open sessions of an account. A further sign-in ends the oldest one. */
export const SESSIONS_MAX = 20;
