/** Reads a text field of what was thrown. Not by class: inside a test runner, Node's own errors are of another `Error`. */
export const textOf = (error: unknown, field: string): string => {
  const value: unknown = typeof error === 'object' && error !== null ? Reflect.get(error, field) : undefined;
  return typeof value === 'string' ? value : '';
};

/** The code of an error: the system's, or the SQLSTATE of the database. Empty when it has none. */
export const codeOf = (error: unknown): string => textOf(error, 'code');

export const messageOf = (error: unknown): string => textOf(error, 'message') || String(error);

/** What a program that failed has said. */
export const saidBy = (error: unknown): string => textOf(error, 'stderr') || messageOf(error);
