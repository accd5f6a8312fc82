import { randomBytes } from 'node:crypto';
import { mkdirSync, readdirSync, renameSync, rmSync, rmdirSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';

import { DatabaseStartError } from './database-start-error';
import { codeOf } from './error-fields';

/** A start takes seconds. The holder of an older lock has died, and another program may now have its process id. */
const STALE_AFTER_MS = 120_000;
const GIVE_UP_AFTER_MS = 90_000;

/**
 * Lets one process at a time start the server. The lock is a folder with one file named after its holder. A rename onto
 * a non-empty folder fails on every system, so taking the lock is atomic. The removal of a dead holder deletes only
 * that holder's file, never the lock of a later holder.
 */
export const withStartLock = async <T>(home: string, work: () => Promise<T>): Promise<T> => {
  const lock = join(home, 'lock');
  const holder = `${process.pid}-${randomBytes(6).toString('hex')}`;
  const until = Date.now() + GIVE_UP_AFTER_MS;
  while (!take(home, lock, holder)) {
    if (Date.now() > until) {
      throw new DatabaseStartError(
        `Another process has been starting the database for too long; end it, or remove ${lock}.`,
      );
    }
    clearDeadHolders(lock);
    await pause(20 + Math.random() * 30);
  }
  try {
    return await work();
  } finally {
    rmSync(join(lock, holder), { force: true });
  }
};

const take = (home: string, lock: string, holder: string): boolean => {
  const mine = join(home, `lock-${holder}`);
  mkdirSync(mine);
  writeFileSync(join(mine, holder), '');
  try {
    renameSync(mine, lock);
    return true;
  } catch (error) {
    rmSync(mine, { recursive: true, force: true });
    if (!['ENOTEMPTY', 'EEXIST', 'EPERM'].includes(codeOf(error))) throw error;
    return false;
  }
};

const clearDeadHolders = (lock: string): void => {
  for (const holder of contents(lock)) {
    if (isStale(join(lock, holder), Number.parseInt(holder, 10))) rmSync(join(lock, holder), { force: true });
  }
  try {
    rmdirSync(lock); // Windows can't rename onto an empty folder, and refuses to remove a folder in use.
  } catch {
    return;
  }
};

const contents = (folder: string): readonly string[] => {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
};

const isStale = (file: string, pid: number): boolean => {
  try {
    process.kill(pid, 0);
  } catch (error) {
    if (codeOf(error) === 'ESRCH') return true;
  }
  try {
    return Date.now() - statSync(file).mtimeMs > STALE_AFTER_MS;
  } catch {
    return false;
  }
};
