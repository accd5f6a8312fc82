import { DatabaseUnavailable } from './database.errors';
import { isRetryable, retryConflicts } from './retry-conflicts';
import { isConnectionLost, isOverloaded } from './sql-state';

/**
 * Converts all errors of an unreachable or overloaded server to `DatabaseUnavailable`. All other errors stay unchanged.
 */
export const asUnavailable = (error: unknown): unknown =>
  isConnectionLost(error) || isOverloaded(error) || isRetryable(error)
    ? new DatabaseUnavailable(error)
    : error;

/**
 * Runs every statement of the service. It repeats a statement that Postgres rolled back, and fails with
 * `DatabaseUnavailable` if the server can't be reached.
 */
export const runStatement = async <T>(work: () => Promise<T>): Promise<T> => {
  try {
    return await retryConflicts(work);
  } catch (error) {
    throw asUnavailable(error);
  }
};
