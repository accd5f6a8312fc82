import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { delimiter, join } from 'node:path';

const NAMES = [process.env['CHROMIUM'], 'chromium', 'chromium-browser', 'google-chrome'];

/** The browser of this machine, or undefined if there is none. Suites that need a browser are then skipped. */
export const chromiumPath = (): string | undefined =>
  NAMES.find((name) => name !== undefined && spawnSync(name, ['--version']).status === 0);

/** Playwright requires the full path of the browser. */
export const chromiumFile = (): string => {
  const name = chromiumPath() ?? '';
  const folders = name.includes('/') ? [''] : (process.env['PATH'] ?? '').split(delimiter);
  return folders.map((folder) => join(folder, name)).find((path) => existsSync(path)) ?? name;
};
