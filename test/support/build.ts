import { spawnSync } from 'node:child_process';
import { join } from 'node:path';

const ROOT = join(__dirname, '..', '..');

/** The program of `npm start`, for tests that need a separate process. Each run builds it once, before all spec files. */
export const MAIN = join(ROOT, 'dist', 'src', 'main.js');

/** The program in one file, for tests that start and kill many processes: a start takes two thirds of the time. */
export const ONE_FILE = join(ROOT, 'dist', 'service.js');

const run = (tool: string): void => {
  const { status, stderr } = spawnSync(process.execPath, [join(ROOT, 'tools', tool)], { encoding: 'utf8' });
  if (status !== 0) throw new Error(`The service can't be built: ${stderr}`);
};

/** Builds like `npm run build`, from the present files, because an old `dist` would test old code. */
export const build = (): void => run('build.mjs');

/** Makes the one file from `dist`. Only tests that start processes need it, and it takes several seconds. */
export const bundle = (): void => run('bundle.mjs');
