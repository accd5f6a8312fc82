/**
 * The most wrong codes in a day. Three of a million codes are valid at a time. After about 30 years, a thief of the
 * password would have found a valid code with a probability of one half.
 */
export const GUESSES_MAX = 20;
/** The person must finish the set-up within this time. */
export const SET_UP_MINUTES = 15;
/** The number of codes that a person gets for the case that the app is lost. */
export const RECOVERY_CODES = 10;
