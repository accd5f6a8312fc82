import { spawnSync } from 'node:child_process';
import { join } from 'node:path';

const ROOT = join(__dirname, '..', '..');

/**
 * The program of `npm start`, for tests that need a separate process. It is built once for each run, before all spec
 * files.
 */
export const MAIN = join(ROOT, 'dist', 'src', 'main.js');

/** The program in one file, for tests that start and kill many processes: a start takes two thirds of the time. */
export const ONE_FILE = join(ROOT, 'tools', 'jest', 'one-file-start.cjs');

/** Builds like `npm run build`, from the present files, because an old `dist` would test old code. */
export const build = (): void => {
  for (const tool of ['build.mjs', 'bundle.mjs']) {
    const { status, stderr } = spawnSync(process.execPath, [join(ROOT, 'tools', tool)], { encoding: 'utf8' });
    if (status !== 0) throw new Error(`The service can't be built: ${stderr}`);
  }
};
