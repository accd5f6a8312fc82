/** The limit of free references of an owner, and of an address; the database enforces it. */
export const FREE_MAX = 5;

/** The limit of assets in a library; the database enforces it. */
export const LIBRARY_MAX = 100;
