const MINUTE = 60;
const HOUR = 60 * MINUTE;

/** About so many seconds after each try that failed; after the last of them hourly. */
const PAUSES = [5, 30, 2 * MINUTE, 10 * MINUTE, 30 * MINUTE, HOUR] as const;

/** An endpoint is tried for so long. Who fails all the while is disabled. */
export const TRIED_SECONDS_MAX = 24 * HOUR;
/** To the address that a call has named an event is brought so often at the most. */
export const CALL_TRIES_MAX = 6;

/** Receivers that fell over together should not all be asked again at once. */
const JITTER = 0.2;

/** How long to wait after so many tries: never sooner than the receiver has asked for. `chance` is from 0 to 1. */
export const secondsUntilNext = (tries: number, chance: number, asked = 0): number => {
  const pause = PAUSES[tries - 1] ?? HOUR;
  return Math.max(asked, pause * (1 - JITTER + 2 * JITTER * chance));
};

/** What `Retry-After` asks for, in seconds: a number of them, or a date. Nothing asks for longer than we try at all. */
export const retryAfterOf = (header: string | undefined, now: Date): number | undefined => {
  if (header === undefined) return undefined;
  const text = header.trim();
  const seconds = /^\d{1,9}$/.test(text) ? Number(text) : (Date.parse(text) - now.getTime()) / 1_000;
  return seconds > 0 ? Math.min(seconds, TRIED_SECONDS_MAX) : undefined;
};
