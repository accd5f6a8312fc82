/**
 * The most mails with a link within the time. Anybody may enter any address, so an address gets few mails. A caller sends
 * few mails, whatever the addresses.
 */
export const LINK_MAILS_MAX = { recipient: 3, caller: 20 } as const;
export const LINK_MAILS_MS = 15 * 60_000;

/** A mailed link that proves an address works for this time. */
export const PROOF_LINK_MS = 24 * 3_600_000;
/** A link that sets a new password works for this time: one that the service mails, and one that an operator makes. */
export const RESET_LINK_HOURS = { mailed: 1, byOperator: 24 } as const;
