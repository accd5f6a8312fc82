/**
 * Our statements take milliseconds. A longer statement hangs, and its caller has disconnected, so it must not keep rows
 * or a connection locked. `longTransaction` has a limit of its own.
 */
const STATEMENT_TIMEOUT_MS = 1_500;
const LOCK_TIMEOUT_MS = 1_000;
const IDLE_IN_TRANSACTION_MS = 2_000;
/** Longer than the server's own limit, so it applies only if the network has lost the answer. */
export const ANSWER_TIMEOUT_MS = 10_000;
/** Migrations may run for long, but must not wait for a lock, because every other statement would wait behind them. */
export const MIGRATION_LOCK_TIMEOUT_MS = 10_000;

/**
 * The first statements of each session of the service. Behind a pooler, the service's role has these settings instead.
 */
export const SESSION_LIMITS = {
  statement_timeout: STATEMENT_TIMEOUT_MS,
  lock_timeout: LOCK_TIMEOUT_MS,
  idle_in_transaction_session_timeout: IDLE_IN_TRANSACTION_MS,
};

/** The service's role may have its own limits, but migrations may take as long as they need. */
export const WITHOUT_LIMITS = '-c statement_timeout=0 -c idle_in_transaction_session_timeout=0';
