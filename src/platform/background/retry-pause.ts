const FIRST_PAUSE_MS = 250;
/** The service must work again within 5 seconds after an outage, so this pause is shorter. */
export const LONGEST_PAUSE_MS = 3_000;

/** The pause after this many failures in a row. It doubles up to the longest, and has jitter. */
export const retryPauseMs = (failures: number, longestMs = LONGEST_PAUSE_MS): number =>
  Math.min(longestMs, FIRST_PAUSE_MS * 2 ** (failures - 1)) * (0.5 + Math.random() / 2);
