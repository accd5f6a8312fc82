/** For how long a process may be silent about a charge before others look after it. */
const LEASE_SECONDS = 30;

/** The end of a lease that begins now, by the clock of the database: one whose own is wrong must not look dead, or alive. */
export const LEASE_UNTIL = `now() + interval '${LEASE_SECONDS} seconds'`;

/** A third of the lease: two renewals may fail before anybody takes the charge for abandoned. */
export const RENEW_EVERY_MS = (LEASE_SECONDS / 3) * 1_000;
