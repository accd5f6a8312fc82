import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

const manifestAbove = (folder: string): string => {
  const path = join(folder, 'package.json');
  return existsSync(path) ? path : manifestAbove(dirname(folder));
};

let version: string | undefined;

/**
 * The version of this package. The built files are at another depth than the sources, so the search goes upwards from
 * this folder.
 */
export const packageVersion = (): string => {
  version ??= (JSON.parse(readFileSync(manifestAbove(__dirname), 'utf8')) as { version: string }).version;
  return version;
};
