/**
 * The most wrong codes in a day. Three of a million codes are valid at a time. After about 30 years, a thief of the
 * password would have found a valid code with a probability of one half.
 */
export const GUESSES_MAX = 20;
