import { DatabaseUnavailable } from './database.errors';
import { retryConflicts } from './retry-conflicts';
import { isConnectionLost, isOverloaded, isRetryable } from './sql-state';

/** The one error for a server that can't be reached or is overloaded. All other errors stay unchanged. */
export const asUnavailable = (error: unknown): unknown =>
  isConnectionLost(error) || isOverloaded(error) || isRetryable(error)
    ? new DatabaseUnavailable(error)
    : error;

/**
 * The path of every statement to the server: repeated if Postgres undid it, with one error if the server can't be
 * reached.
 */
export const runStatement = async <T>(work: () => Promise<T>): Promise<T> => {
  try {
    return await retryConflicts(work);
  } catch (error) {
    throw asUnavailable(error);
  }
};
