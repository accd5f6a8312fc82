import { setTimeout as pause } from 'node:timers/promises';

const PAUSE = 3;

/**
 * One part of long work, and a pause of three times as long behind it. So long work takes at most a quarter of a
 * processor of Postgres, and the callers have the rest.
 */
export const paced = async <T>(work: () => Promise<T>): Promise<T> => {
  const began = performance.now();
  const result = await work();
  await pause(PAUSE * (performance.now() - began));
  return result;
};
