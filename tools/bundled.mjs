// Lists the files from which tools/bundle.mjs makes its one file. If one has changed, tools/build.mjs starts the many files.
import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';

const ROOT = join(import.meta.dirname, '..');
const DIST = join(ROOT, 'dist');

export const BUNDLED = join(DIST, '.bundled');

/** The name has a hash of the content, so that a file never starts with the compiled code of another one. */
const ONE_FILE = /^service-[0-9a-f]{12}\.js$/;

export const oneFiles = () =>
  existsSync(DIST) ? readdirSync(DIST).filter((name) => ONE_FILE.test(name)) : [];

const within = (folder, names) => names.map((name) => join(folder, name));

export const bundled = {
  /** npm writes the last of them whenever it installs packages. */
  inputs: () =>
    within(ROOT, [
      ...within('dist', ['src', 'migrations', 'clients']),
      'tools/bundle.mjs',
      'tools/packages-apart.mjs',
      'package-lock.json',
      'node_modules/.package-lock.json',
    ]),
  outputs: () => within(DIST, ['service.js', 'third-party-licenses.txt', ...oneFiles()]),
};
