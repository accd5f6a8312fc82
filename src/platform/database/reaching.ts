import { DatabaseUnavailable } from './database.errors';
import { retryUndone } from './retry-undone';
import { isConnectionLost, isOverloaded, isRetryable } from './sql-state';

/** How every statement reaches the server: repeated when Postgres undid it, and with one error when it can't be reached. */
export const reaching = async <T>(work: () => Promise<T>): Promise<T> => {
  try {
    return await retryUndone(work);
  } catch (error) {
    const isAway = isConnectionLost(error) || isOverloaded(error) || isRetryable(error);
    throw isAway ? new DatabaseUnavailable(error) : error;
  }
};
