const MINUTE = 60;
const HOUR = 60 * MINUTE;

/** The approximate seconds after each failed try. After the last value, tries are hourly. */
const PAUSES = [5, 30, 2 * MINUTE, 10 * MINUTE, 30 * MINUTE, HOUR] as const;

/** An endpoint is retried for this long. If every try fails, it is disabled. */
export const TRIED_SECONDS_MAX = 24 * HOUR;
/** The most tries to the address of a call. */
export const CALL_TRIES_MAX = 6;

/** The jitter separates retries to receivers that failed together. */
const JITTER = 0.2;

/** The pause after this many tries. It is never shorter than the receiver asked for. `chance` is from 0 to 1. */
export const secondsUntilNext = (tries: number, chance: number, retryAfterSeconds = 0): number => {
  const pause = PAUSES[tries - 1] ?? HOUR;
  return Math.max(retryAfterSeconds, pause * (1 - JITTER + 2 * JITTER * chance));
};

/** The seconds of `Retry-After`, which is a number or a date. They are limited to the time for which we retry. */
export const retryAfterOf = (header: string | undefined, now: Date): number | undefined => {
  if (header === undefined) return undefined;
  const text = header.trim();
  const seconds = /^\d{1,9}$/.test(text) ? Number(text) : (Date.parse(text) - now.getTime()) / 1_000;
  return seconds > 0 ? Math.min(seconds, TRIED_SECONDS_MAX) : undefined;
};
