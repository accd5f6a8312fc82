import { DatabaseUnavailable } from './database.errors';
import { retryConflicts } from './retry-conflicts';
import { isConnectionLost, isOverloaded, isRetryable } from './sql-state';

/** Makes one error for a server that can't be reached or is overloaded. All other errors stay unchanged. */
export const asUnavailable = (error: unknown): unknown =>
  isConnectionLost(error) || isOverloaded(error) || isRetryable(error)
    ? new DatabaseUnavailable(error)
    : error;

/**
 * The path of every statement to the server. A statement is repeated if Postgres undid it. If the server can't be
 * reached, there is only one kind of error.
 */
export const runStatement = async <T>(work: () => Promise<T>): Promise<T> => {
  try {
    return await retryConflicts(work);
  } catch (error) {
    throw asUnavailable(error);
  }
};
