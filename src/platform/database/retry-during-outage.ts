import { setTimeout as pause } from 'node:timers/promises';

import { DatabaseUnavailable } from './database.errors';

/** The time of a server restart; much shorter than a lease, which nobody can renew during the outage either. */
const INSIST_MS = 5_000;
const INSIST_EVERY_MS = 250;

/**
 * Retries during a short outage of the database. Only for work that may be done twice, because a failed try may have
 * taken effect, and only if this process alone has the result.
 */
export const retryDuringOutage = async <T>(work: () => Promise<T>): Promise<T> => {
  for (const until = performance.now() + INSIST_MS; ; await pause(INSIST_EVERY_MS)) {
    try {
      return await work();
    } catch (error) {
      if (!(error instanceof DatabaseUnavailable) || performance.now() > until) throw error;
    }
  }
};
