import { setTimeout as pause } from 'node:timers/promises';

import { sqlStateOf } from './error-fields';
import { SqlState } from './sql-state';

const TRIES = 3;
const JITTER_MIN_MS = 20;
const JITTER_MAX_MS = 80;

const RETRYABLE: ReadonlySet<string> = new Set([
  SqlState.serializationFailure,
  SqlState.deadlockDetected,
  SqlState.lockNotAvailable,
]);

/** Whether Postgres rolled the statement back as a whole because of a conflict, so that a retry may succeed. */
export const isRetryable = (error: unknown): boolean => RETRYABLE.has(sqlStateOf(error));

/**
 * Repeats work that Postgres rolled back because of a conflict (deadlock, serialization, lock timeout). Use it only for
 * a whole statement or a whole transaction, because Postgres rolls these back as a whole. The jitter prevents a second
 * collision.
 */
export const retryConflicts = async <T>(work: () => Promise<T>): Promise<T> => {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await work();
    } catch (error) {
      if (attempt === TRIES || !isRetryable(error)) throw error;
      await pause(JITTER_MIN_MS + Math.random() * (JITTER_MAX_MS - JITTER_MIN_MS));
    }
  }
};
