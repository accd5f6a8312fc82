/** The lease of a process that sends a mail. It is longer than any try. After it, the mail is due again. */
export const TAKEN_SECONDS_MAX = 600;
/** The pause after the first failure. It doubles with each further failure. */
export const PAUSE_SECONDS = 60;
export const PAUSE_SECONDS_MAX = 3_600;
/** The pause doubles at most this many times. */
export const DOUBLINGS_MAX = 10;
export const TRIED_HOURS_MAX = 24;

/**
 * The most mails to one owner that are kept. Anybody can enter the address of a stranger, and the stranger must not get
 * many mails.
 */
export const MAILS_MAX = 20;
