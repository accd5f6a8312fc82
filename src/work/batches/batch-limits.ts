/** The limits of a file: smaller ones than OpenAI's. */
export const FILE_BYTES_MAX = 50 * 1024 * 1024;
export const FILE_LINES_MAX = 10_000;
/** The days for which files are kept, and ended batches with their answers. */
export const FILE_DAYS = 30;
/** The most files that an owner may keep, and the most bytes of all of them. */
export const FILES_OF_OWNER_MAX = { filesMax: 100, bytesMax: 500 * 1024 * 1024 } as const;
/** A batch ends after this time, even if some of its calls have not begun. */
export const BATCH_HOURS = 24;
/** The most open batches of an owner. */
export const OPEN_MAX = 10;
/** Without an idempotency key, an equal call within this time counts as repeated. */
export const REPEATED_MINUTES = 10;
/** A batch ends if its money is not reserved within this time, because its process must have died. */
export const UNPAID_MINUTES = 15;
