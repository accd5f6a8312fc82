import { spawnSync } from 'node:child_process';
import { join } from 'node:path';

const ROOT = join(__dirname, '..', '..');

/** The program of `npm start`, for tests that need a process of its own. It is made once a run, before all spec files. */
export const MAIN = join(ROOT, 'dist', 'src', 'main.js');

/** The same in one file, for tests that start and kill many: it takes two thirds of the time. */
export const ONE_FILE = join(ROOT, 'tools', 'jest', 'one-file-start.cjs');

/** As `npm run build` does, from the files as they are now: a stale `dist` would prove the code of yesterday. */
export const build = (): void => {
  for (const tool of ['build.mjs', 'bundle.mjs']) {
    const { status, stderr } = spawnSync(process.execPath, [join(ROOT, 'tools', tool)], { encoding: 'utf8' });
    if (status !== 0) throw new Error(`The service can't be built: ${stderr}`);
  }
};
