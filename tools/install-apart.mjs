// Installs the packages of a folder that has its own package.json: `npm install` in the root leaves them out, because
// only one command uses them (ADR 93). It does nothing if the folder has what its lock names.
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

const ROOT = join(import.meta.dirname, '..');

const hashOf = (file) => createHash('sha256').update(readFileSync(file)).digest('hex');

/** Returns the reason why the packages are missing, or undefined if they are there. */
export const installApart = (folder) => {
  const lock = hashOf(join(ROOT, folder, 'package-lock.json'));
  const mark = join(ROOT, folder, 'node_modules', '.installed');
  if (existsSync(mark) && readFileSync(mark, 'utf8') === lock) return undefined;
  process.stderr.write(`Installing the packages of ${folder}, once (npm ci --prefix ${folder}).\n`);
  const { status, stderr, error } = spawnSync(
    'npm',
    [
      'ci',
      '--prefix',
      folder,
      '--ignore-scripts',
      '--no-audit',
      '--no-fund',
      '--loglevel=error',
      '--fetch-retries=1',
      '--fetch-retry-mintimeout=1000',
    ],
    { cwd: ROOT, encoding: 'utf8', shell: process.platform === 'win32' },
  );
  if (status !== 0) return `npm ci --prefix ${folder} failed: ${error?.message ?? stderr.trim()}`;
  writeFileSync(mark, lock);
  return undefined;
};
