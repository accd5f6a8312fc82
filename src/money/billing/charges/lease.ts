/** After this time without a renewal, any process may decide the charge. */
const LEASE_SECONDS = 30;

/**
 * The end of a lease that begins now, by the database's clock. By the process's clock, a wrong clock would end the
 * lease too early or too late.
 */
export const LEASE_UNTIL = `now() + interval '${LEASE_SECONDS} seconds'`;

/** A third of the lease: two renewals may fail before the charge counts as abandoned. */
export const RENEW_EVERY_MS = (LEASE_SECONDS / 3) * 1_000;
