/**
 * Reads a text field of a thrown value. It checks no class, because inside a test runner Node's errors extend another
 * `Error` class than ours.
 */
const textOf = (error: unknown, field: string): string => {
  const value: unknown = typeof error === 'object' && error !== null ? Reflect.get(error, field) : undefined;
  return typeof value === 'string' ? value : '';
};

/** The system's code of an error, such as ENOENT. Empty if it has none. */
export const codeOf = (error: unknown): string => textOf(error, 'code');

/** The SQLSTATE of a database error, or the code of a network error. Empty if it has none. */
export const sqlStateOf = (error: unknown): string => textOf(error, 'code');

/** The name of the constraint that refused a row. Empty if no constraint did. */
export const constraintOf = (error: unknown): string => textOf(error, 'constraint');

export const messageOf = (error: unknown): string => textOf(error, 'message') || String(error);

/** The error output of a failed program. */
export const outputOf = (error: unknown): string => textOf(error, 'stderr') || messageOf(error);
