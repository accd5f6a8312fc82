/**
 * The result of one attempt at one route. `unserved`: the route can't serve this request. `unavailable`: it did not
 * accept the work, so the next route is tried. `failed`: the call ended there. `accepted`: it accepted the work.
 */
export const ATTEMPT_OUTCOMES = ['accepted', 'unserved', 'unavailable', 'failed'] as const;

export interface Attempt {
  readonly outcome: (typeof ATTEMPT_OUTCOMES)[number];
  readonly ms: number;
}

/** Only this many attempts are shown. */
const ATTEMPTS_MAX = 10;

/** Adds the result of an attempt to those of its call, without the name of the provider. */
export const noteAttempt = (
  attempts: Attempt[] | undefined,
  outcome: Attempt['outcome'],
  startedAt: number,
): void => {
  if (attempts === undefined || attempts.length >= ATTEMPTS_MAX) return;
  attempts.push({ outcome, ms: Math.round(performance.now() - startedAt) });
};
