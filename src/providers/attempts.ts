/**
 * The end of one attempt at one route. `unserved`: the route can't serve this request. `unavailable`: it did not accept
 * the work, so the next route is tried. `failed`: the call ended there. `accepted`: it took the work.
 */
export const ATTEMPT_OUTCOMES = ['accepted', 'unserved', 'unavailable', 'failed'] as const;

export interface Attempt {
  readonly outcome: (typeof ATTEMPT_OUTCOMES)[number];
  readonly ms: number;
}

/** A model with more routes than this shows only the first ones. */
const ATTEMPTS_MAX = 10;

/** Adds the end of an attempt to those of its call, without the name of the provider. */
export const noteAttempt = (
  attempts: Attempt[] | undefined,
  outcome: Attempt['outcome'],
  startedAt: number,
): void => {
  if (attempts === undefined || attempts.length >= ATTEMPTS_MAX) return;
  attempts.push({ outcome, ms: Math.round(performance.now() - startedAt) });
};
