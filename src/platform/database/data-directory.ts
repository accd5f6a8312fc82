import { execFile } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import {
  chmodSync,
  chownSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  readdirSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';

import { DatabaseStartError, lastLine } from './database-start-error';
import { codeOf, outputOf } from './error-fields';
import { type OsAccount, type PostgresBinaries, findBinaries, serverAccount } from './postgres-binaries';

const run = promisify(execFile);

/** The paths of the embedded server on disk. */
export interface DataDirectory {
  /** Our folder: password, log, lock and the list of users. */
  readonly home: string;
  /** Postgres' own folder, inside `home`. */
  readonly data: string;
  readonly password: string;
  readonly account: OsAccount | undefined;
  readonly binaries: PostgresBinaries;
  /** A mark in the server's command line. It distinguishes the server from another process with a reused id. */
  readonly clusterName: string;
}

/** Postgres does not get our environment, which contains keys. Windows programs need some variables to start. */
export const SERVER_ENV = process.platform === 'win32' ? undefined : { LC_ALL: 'C', TZ: 'UTC' };

const homeOf = (dataDir: string): string => resolve(dataDir, 'pg');

/** Whether the embedded database was made already. */
export const hasEmbeddedDatabase = (dataDir: string): boolean => existsSync(join(homeOf(dataDir), 'data'));

/** Creates the parent folder, because the lock is a folder inside it. */
export const makeHome = (dataDir: string): string => {
  const home = homeOf(dataDir);
  try {
    mkdirSync(home, { recursive: true });
    chmodSync(home, 0o711);
    const probe = mkdtempSync(join(home, 'write-'));
    rmSync(probe, { recursive: true });
    return home;
  } catch (error) {
    throw new DatabaseStartError(
      `Can't write to ${home} (${codeOf(error)}); set DATA_DIR to a folder that you may write to, or set DATABASE_URL.`,
    );
  }
};

/** Prepares the data directory, creating the cluster on first use. Call it only while holding the start lock. */
export const openDataDirectory = async (home: string): Promise<DataDirectory> => {
  const data = join(home, 'data');
  const account = ownerOf(data) ?? serverAccount();
  const binaries = findBinaries(account);
  if (!existsSync(data)) await createCluster(home, data, account, binaries);
  const { dev, ino } = statSync(data);
  return {
    home,
    data,
    account,
    binaries,
    password: readPassword(home),
    clusterName: `lamppost-${dev}-${ino}`,
  };
};

/**
 * The data path for Postgres. If we are root, the account of Postgres may have no access to the folders above. Linux
 * lets a process use its own working folder without access to the folders above, so the data can stay in place.
 */
export const dataPath = (data: string, account: OsAccount | undefined): string =>
  account !== undefined && process.platform === 'linux' ? '/proc/self/cwd' : data;

/** If we are root, the account that created the cluster must also run it. */
const ownerOf = (data: string): OsAccount | undefined => {
  if (process.getuid?.() !== 0 || !existsSync(data)) return undefined;
  const { uid, gid } = statSync(data);
  return uid === 0 ? undefined : { uid, gid };
};

/** Creates the cluster under another name and then renames it, so an interrupted start leaves no incomplete cluster. */
const createCluster = async (
  home: string,
  data: string,
  account: OsAccount | undefined,
  binaries: PostgresBinaries,
): Promise<void> => {
  for (const name of readdirSync(home).filter((entry) => entry.startsWith('new-'))) {
    rmSync(join(home, name), { recursive: true, force: true });
  }
  const draft = mkdtempSync(join(home, 'new-'));
  const passwordFile = join(home, 'password');
  writeFileSync(passwordFile, `${randomBytes(24).toString('hex')}\n`, { mode: 0o600 });
  try {
    if (account !== undefined) {
      chownSync(draft, account.uid, account.gid);
      chownSync(passwordFile, account.uid, account.gid);
    }
    const access = [`--pgdata=${dataPath(draft, account)}`, '--pwfile=../password', '--username=lamppost'];
    const locale = ['--encoding=UTF8', '--locale=C', '--locale-provider=builtin', '--builtin-locale=C.UTF-8'];
    const options = { ...account, cwd: draft, env: SERVER_ENV };
    await run(binaries.initdb, [...access, ...locale, '--auth=scram-sha-256', '--no-instructions'], options);
    renameSync(draft, data);
  } catch (error) {
    rmSync(draft, { recursive: true, force: true });
    throw new DatabaseStartError(
      `Can't create the database in ${home} (${lastLine(outputOf(error))}); set DATA_DIR to another folder, or set DATABASE_URL.`,
      { cause: error },
    );
  }
};

const readPassword = (home: string): string => {
  try {
    return readFileSync(join(home, 'password'), 'utf8').trim();
  } catch (error) {
    throw new DatabaseStartError(
      `Can't read ${join(home, 'password')} (${codeOf(error)}); start as the user who made ${home}, or set DATABASE_URL.`,
    );
  }
};
