/** An owner has this many numbered places for endpoints. */
export const ENDPOINTS_MAX = 10;
/** All delegated keys together may use only the last places, and each of them this many. */
export const ENDPOINTS_OF_KEYS_MAX = 5;
export const ENDPOINTS_OF_KEY_MAX = 2;
/** The number of secrets that sign at a time: the newest one and previous ones. */
export const SECRETS_MAX = 5;
/** Concurrent deliveries to one host, and the part that one owner may have. */
export const HOST_DELIVERIES_MAX = 16;
export const OWNER_DELIVERIES_MAX = 4;
