/** The injection token of the address of the database that was opened: the one of the settings, or the embedded one. */
export const DATABASE_URL = Symbol('DATABASE_URL');
