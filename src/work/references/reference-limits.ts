/** The limit of free references of an owner, and of an address; the database enforces it. */
export const FREE_MAX = 5;
/** The largest reference of an owner who has never paid. */
export const FREE_BYTES_MAX = 1024 * 1024;
/** Free references are deleted after this time, except if the owner has paid meanwhile. */
export const FREE_HOURS = 24;

/** The limit of assets in a library; the database enforces it. */
export const LIBRARY_MAX = 100;
