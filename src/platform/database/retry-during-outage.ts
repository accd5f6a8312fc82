import { setTimeout as pause } from 'node:timers/promises';

import { DatabaseUnavailable } from './database.errors';

/**
 * Enough time for a restart of the server. It must be much shorter than a lease, because no process can renew a lease
 * during the outage.
 */
const INSIST_MS = 5_000;
const INSIST_EVERY_MS = 250;

/**
 * Retries during a short outage of the database. Use it only for work that may run twice, because a failed try may have
 * taken effect. Use it only for a result that no other process has.
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
