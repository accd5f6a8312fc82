import { AsyncLocalStorage } from 'node:async_hooks';

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

const underway = new AsyncLocalStorage<Attempt[]>();

/** Collects in `attempts` every attempt of the work, without the names of providers. */
export const collectingAttempts = <T>(attempts: Attempt[], work: () => T): T => underway.run(attempts, work);

export const noteAttempt = (outcome: Attempt['outcome'], startedAt: number): void => {
  const attempts = underway.getStore();
  if (attempts === undefined || attempts.length >= ATTEMPTS_MAX) return;
  attempts.push({ outcome, ms: Math.round(performance.now() - startedAt) });
};
