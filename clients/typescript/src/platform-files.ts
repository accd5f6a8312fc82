const FILES = 'node:fs/promises';

/**
 * The files of the platform. The name is a variable, and the comments are for bundlers: one for browsers must not look
 * for the module, and one for servers must leave the import to the platform.
 */
export const platformFiles = (): Promise<typeof import('node:fs/promises')> =>
  import(/* webpackIgnore: true */ /* @vite-ignore */ FILES) as Promise<typeof import('node:fs/promises')>;
