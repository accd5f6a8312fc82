/** The time for which a process may leave a charge alone before others decide it. */
const LEASE_SECONDS = 30;

/**
 * The end of a lease that begins now, by the database's clock. A process with a wrong clock must look neither dead nor
 * alive.
 */
export const LEASE_UNTIL = `now() + interval '${LEASE_SECONDS} seconds'`;

/** A third of the lease: two renewals may fail before the charge counts as abandoned. */
export const RENEW_EVERY_MS = (LEASE_SECONDS / 3) * 1_000;
