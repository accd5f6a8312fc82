/** The most tries of a call that may succeed later, such as a call to an unavailable vendor. */
export const TRIES_MAX = 12;
const PAUSE_SECONDS = 5;
const PAUSE_SECONDS_MAX = 600;
/** Statuses after which the same call may succeed. */
const LATER: ReadonlySet<number> = new Set([409, 429, 503]);

export const maySucceedLater = (status: number): boolean => LATER.has(status);

/** The seconds until the next try, after this many tries. */
export const pauseAfter = (tries: number): number =>
  Math.min(PAUSE_SECONDS_MAX, PAUSE_SECONDS * 2 ** (tries - 1));
