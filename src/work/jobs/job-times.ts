/** The time for a submission and the commit of its answer. After it, other processes may look the job up. */
export const SUBMIT_SECONDS_MAX = 35;
/** Longer than fetching and storing a result may take. */
export const STORE_SECONDS_MAX = 90;
/** The lease of a poll. After it, the job is due again, because the polling process may be dead. */
export const POLL_LEASE_SECONDS = 30;
/** The lease of a job whose result is copied. `JobLeases` renews it. */
export const COPY_LEASE_SECONDS = 15;
/** Longer than a provider's cancellation and the recording of its answer may take. */
export const CANCEL_SECONDS_MAX = 30;

/** A job is decided within this time after its deadline, whatever its provider does. */
export const DECIDED_MS_MAX = 5_000;
/** The part of that time that is left for writing the decision. */
const DECIDING_MS_MAX = 1_000;
/** The shortest useful request to a provider. */
const LAST_POLL_MS_MIN = 1_000;

/** A job that is overdue for longer was not polled in time, and gets a whole poll. */
export const FORGOTTEN_MS = DECIDED_MS_MAX - LAST_POLL_MS_MIN;
/** A whole poll: a request, a cancellation, another request and a copy. */
export const OVERDUE_POLL_MS_MAX = 60_000;

/** Node's timers fire at once above this value. */
const TIMER_MS_MAX = 2 ** 31 - 1;

/**
 * The time for a poll of a job with `leftMs` until its deadline. After that time the job is decided without the poll. A
 * poll that begins after the deadline gets less time, so that every decision is made in time.
 */
export const pollTimeoutMs = (leftMs: number): number =>
  Math.min(
    TIMER_MS_MAX,
    leftMs < -FORGOTTEN_MS
      ? OVERDUE_POLL_MS_MAX
      : Math.max(LAST_POLL_MS_MIN, leftMs + DECIDED_MS_MAX - DECIDING_MS_MAX),
  );
