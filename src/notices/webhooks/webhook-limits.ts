/** An owner has this many numbered slots for endpoints. */
export const ENDPOINTS_MAX = 10;
/** All delegated keys together may use only the last slots, and each of them this many. */
export const ENDPOINTS_OF_KEYS_MAX = 5;
export const ENDPOINTS_OF_KEY_MAX = 2;
/** The number of secrets that sign at a time: the newest one and previous ones. */
export const SECRETS_MAX = 5;
/** Concurrent deliveries to one host, and the part that one owner may have. */
export const HOST_DELIVERIES_MAX = 16;
export const OWNER_DELIVERIES_MAX = 4;
/** One try: its time, and the bytes that are read of the answer. */
export const SEND_MS_MAX = 10_000;
export const ANSWER_BYTES_READ_MAX = 64 * 1024;
/** The time for which the earlier secrets sign as well, after the owner has rotated the secret. */
export const SECRET_OVERLAP_SECONDS_MAX = 7 * 86_400;
/** Tries are for debugging, so they are kept for days only. */
export const TRY_DAYS = 7;
export const TRIES_SHOWN_MAX = 20;
