import { setTimeout as pause } from 'node:timers/promises';

const PAUSE = 3;
const PAUSE_MS_MAX = 1_000;

/**
 * One part of long work. If more follows, a pause of three times as long is behind it. So long work takes at most a quarter
 * of a processor of Postgres, and the callers have the rest.
 */
export const paced = async <T>(part: () => Promise<T>, isMore: (result: T) => boolean): Promise<T> => {
  const began = performance.now();
  const result = await part();
  if (isMore(result)) await pause(Math.min(PAUSE_MS_MAX, PAUSE * (performance.now() - began)));
  return result;
};
