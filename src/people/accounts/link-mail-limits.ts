/**
 * The most mails with a link within the time. Anybody may enter any address, so an address gets few mails. A caller sends
 * few mails, whatever the addresses.
 */
export const LINK_MAILS_MAX = { recipient: 3, caller: 20 } as const;
export const LINK_MAILS_MS = 15 * 60_000;
