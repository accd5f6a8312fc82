/** A job is decided so soon after its deadline, whatever its provider does. */
export const DECIDED_MS_MAX = 5_000;
/** What is left of it for writing the decision down. */
const DECIDING_MS_MAX = 1_000;
/** The shortest question to a provider that is worth asking. */
const LAST_POLL_MS_MIN = 1_000;

/** A job that is overdue for longer was looked at by nobody in time, and gets a whole look. */
export const FORGOTTEN_MS = DECIDED_MS_MAX - LAST_POLL_MS_MIN;
/** A whole look: a question, a cancellation, another question and a copy. */
export const OVERDUE_POLL_MS_MAX = 60_000;

/** Longer timers than this would fire at once. */
const TIMER_MS_MAX = 2 ** 31 - 1;

/**
 * How long a look may take before the job is decided without it, for a job that has `leftMs` until its deadline. A look
 * that begins just after the deadline has less time than one that begins before it: both end in time.
 */
export const pollTimeoutMs = (leftMs: number): number =>
  Math.min(
    TIMER_MS_MAX,
    leftMs < -FORGOTTEN_MS
      ? OVERDUE_POLL_MS_MAX
      : Math.max(LAST_POLL_MS_MIN, leftMs + DECIDED_MS_MAX - DECIDING_MS_MAX),
  );
