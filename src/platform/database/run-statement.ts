import { DatabaseUnavailable } from './database.errors';
import { retryConflicts } from './retry-conflicts';
import { isConnectionLost, isOverloaded, isRetryable } from './sql-state';

/** The one error for a server that can't be reached or has no room now. All other errors stay as they are. */
export const asUnavailable = (error: unknown): unknown =>
  isConnectionLost(error) || isOverloaded(error) || isRetryable(error)
    ? new DatabaseUnavailable(error)
    : error;

/** How every statement reaches the server: repeated when Postgres undid it, and with one error when it can't be reached. */
export const runStatement = async <T>(work: () => Promise<T>): Promise<T> => {
  try {
    return await retryConflicts(work);
  } catch (error) {
    throw asUnavailable(error);
  }
};
