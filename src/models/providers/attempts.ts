/**
 * The result of one attempt at one route. `unserved`: the route can't serve this request. `unavailable`: the route did
 * not accept the work. After both, the service tries the next route. `failed`: the call ended at this route.
 * `accepted`: the route accepted the work.
 */
export const ATTEMPT_OUTCOMES = ['accepted', 'unserved', 'unavailable', 'failed'] as const;

export interface Attempt {
  readonly outcome: (typeof ATTEMPT_OUTCOMES)[number];
  readonly ms: number;
}

/** The record of a call shows at most this many attempts. */
const ATTEMPTS_MAX = 10;

/** Adds the result of an attempt to the attempts of its call, without the name of the provider. */
export const noteAttempt = (
  attempts: Attempt[] | undefined,
  outcome: Attempt['outcome'],
  startedAt: number,
): void => {
  if (attempts === undefined || attempts.length >= ATTEMPTS_MAX) return;
  attempts.push({ outcome, ms: Math.round(performance.now() - startedAt) });
};
