/** The limits of a file: smaller ones than OpenAI's. */
export const FILE_BYTES_MAX = 50 * 1024 * 1024;
export const FILE_LINES_MAX = 10_000;
/** The days for which files are kept. */
export const FILE_DAYS = 30;
/** The most files that an owner may keep, and the most bytes of all of them. */
export const FILES_OF_OWNER_MAX = { filesMax: 100, bytesMax: 500 * 1024 * 1024 } as const;
/** A batch ends after this time, even if some of its calls have not begun. */
export const BATCH_HOURS = 24;
/** The most open batches of an owner. */
export const OPEN_MAX = 10;
