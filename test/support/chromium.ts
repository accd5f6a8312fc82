import { spawnSync } from 'node:child_process';

const NAMES = [process.env['CHROMIUM'], 'chromium', 'chromium-browser', 'google-chrome'];

/** The browser of this machine, or undefined if there is none. Suites that need a browser are then skipped. */
export const chromiumPath = (): string | undefined =>
  NAMES.find((name) => name !== undefined && spawnSync(name, ['--version']).status === 0);
