import { execFileSync } from 'node:child_process';
import { mkdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { createHash } from 'node:crypto';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';

const FOLDER = join(__dirname, 'runtimes');
/** Each clone of the repository has a lock of its own. */
const LOCK = join(
  tmpdir(),
  `lamppost-runtimes-${createHash('sha256').update(FOLDER).digest('hex').slice(0, 16)}`,
);

/** The packages of `test/clients/runtimes`, with a binary of each runtime for this system. */
export const BINARIES = join(FOLDER, 'node_modules');

export const SYSTEM = `${process.platform}-${process.arch}`;

export const NODE_22 = join(BINARIES, `node-22-${SYSTEM}`, 'bin', 'node');

const locked = (): boolean => {
  try {
    mkdirSync(LOCK);
    return true;
  } catch {
    return false;
  }
};

/**
 * Installs the binaries. Each system has its own, and npm knows no optional devDependencies, so the folder has its own
 * package.json. Two suites may ask for them at the same time.
 */
export const installRuntimes = async (): Promise<void> => {
  for (let tries = 0; !locked() && tries < 300; tries += 1) await pause(1_000);
  try {
    execFileSync('npm', ['install', '--ignore-scripts', '--no-audit', '--no-fund', '--loglevel=error'], {
      cwd: FOLDER,
      stdio: 'inherit',
    });
  } finally {
    rmSync(LOCK, { recursive: true, force: true });
  }
};
