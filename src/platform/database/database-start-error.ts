/**
 * The database can't be used. The message is one sentence for the operator with the remedy, and never contains a
 * password.
 */
export class DatabaseStartError extends Error {
  constructor(message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = 'DatabaseStartError';
  }
}

/** The last output line of a program before it failed, because it contains the reason. */
export const lastLine = (text: string): string =>
  text
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '')
    .at(-1) ?? 'no reason given';
