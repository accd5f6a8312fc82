const FILES = 'node:fs/promises';

/**
 * The files of the platform. Because the name is a variable, bundlers for browsers do not look for the module. Because of
 * the comments, bundlers for servers leave the import to the platform.
 */
export const platformFiles = (): Promise<typeof import('node:fs/promises')> =>
  import(/* webpackIgnore: true */ /* @vite-ignore */ FILES) as Promise<typeof import('node:fs/promises')>;
