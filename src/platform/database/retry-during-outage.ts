import { setTimeout as pause } from 'node:timers/promises';

import { DatabaseUnavailable } from './database.errors';

/** As long as a server takes to restart; much shorter than a lease, which nobody can renew either while it is away. */
const INSIST_MS = 5_000;
const INSIST_EVERY_MS = 250;

/**
 * Rides out a short loss of the database. Only for work that may be done twice, because of one that failed nobody knows
 * whether it took effect; and only where giving up would lose what nobody else knows.
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
