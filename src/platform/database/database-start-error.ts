/** The database can't be used. The message is one sentence for the operator and says what to do; it never holds a password. */
export class DatabaseStartError extends Error {
  constructor(message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = 'DatabaseStartError';
  }
}

/** The last line a program said before it gave up, which is where the reason stands. */
export const lastLine = (text: string): string =>
  text
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '')
    .at(-1) ?? 'no reason given';
