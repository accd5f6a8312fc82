/** After this many failures in a row, automatic top-ups are switched off. */
export const AUTO_FAILURES_MAX = 3;
/** The pause after a failed automatic top-up. */
export const AUTO_RETRY_HOURS = 6;
