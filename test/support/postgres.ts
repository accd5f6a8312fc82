import { spawn } from 'node:child_process';
import { chmodSync, mkdirSync, mkdtempSync, statfsSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';

import { Client } from 'pg';

import { startEmbeddedPostgres } from '#platform/database/embedded-postgres';
import { migrate } from '#platform/database/migrations';
import { sqlStateOf } from '#platform/database/error-fields';
import { SqlState } from '#platform/database/sql-state';

/** The file in which `globalSetup` stores the address of the server for the workers. */
const SERVER = 'LAMPPOST_TEST_SERVER';
const TEMPLATE = 'tpl';

/** A file system in memory, which Linux has. There a copy of the template takes 30 ms, on a disk 100 to 400 ms. */
const MEMORY = '/dev/shm';
const MEMORY_FOLDER = 'LAMPPOST_TEST_MEMORY';
/**
 * The least free memory. A run with four workers and their servers needs half of it, and small containers have 64 MB.
 */
const MEMORY_BYTES_MIN = 4 * 1024 ** 3;

/** No data must survive the run, so nothing waits for the disk. */
const FAST = { fsync: 'off', synchronous_commit: 'off', full_page_writes: 'off', max_connections: 400 };

export interface TestServer {
  readonly url: string;
  stop(): Promise<void>;
}

/** Whether a server with a template was started for this run. */
export const hasTestServer = (): boolean => process.env[SERVER] !== undefined;

/** A separate server. Its folder is for temporary files of a test, and is deleted when this process ends in any way. */
export const startTestServer = async (): Promise<TestServer> => {
  const before = process.env['TMPDIR'];
  const ours = openFolder(tmpdir());
  const memory = hasMemory() ? openFolder(MEMORY) : ours;
  const folder = join(memory, 'server');
  mkdirSync(folder);
  const sweeper = sweepAfterUs([ours, memory], folder);
  process.env['TMPDIR'] = ours;
  process.env[MEMORY_FOLDER] = memory;
  const server = await startEmbeddedPostgres({ dataDir: folder, settings: FAST });
  return {
    url: server.url,
    stop: async () => {
      await server.stop();
      sweeper();
      // The folder is deleted, and in watch mode this process starts another server.
      delete process.env[SERVER];
      if (before === undefined) delete process.env['TMPDIR'];
      else process.env['TMPDIR'] = before;
    },
  };
};

/** A new folder for a test's own server. It is in memory if the machine has enough. */
export const serverFolder = (prefix: string): string =>
  mkdtempSync(join(process.env[MEMORY_FOLDER] ?? tmpdir(), prefix));

const openFolder = (parent: string): string => {
  const folder = mkdtempSync(join(parent, 'lamppost-test-'));
  chmodSync(folder, 0o1777); // Readable for everybody, because servers run as another user if we are root.
  return folder;
};

const hasMemory = (): boolean => {
  try {
    const { bavail, bsize } = statfsSync(MEMORY);
    return bavail * bsize >= MEMORY_BYTES_MIN;
  } catch {
    return false;
  }
};

/**
 * Waits until this process and the server have ended, and then removes the folders. Even a killed run must leave
 * nothing.
 */
const sweepAfterUs = (folders: readonly string[], server: string): (() => void) => {
  const script =
    'trap "" INT TERM HUP; read -r line; tries=0; ' +
    'while [ -e "$0/pg/data/postmaster.pid" ] && [ $tries -lt 100 ]; do tries=$((tries+1)); sleep 0.1; done; ' +
    'rm -rf "$@"';
  const sweeper = spawn('sh', ['-c', script, server, ...folders], {
    cwd: '/',
    detached: true,
    stdio: ['pipe', 'ignore', 'ignore'],
  });
  sweeper.unref();
  (sweeper.stdin as unknown as { unref?(): void } | null)?.unref?.();
  return () => sweeper.stdin?.end();
};

/** Fills the template from which the database of every spec file is copied. */
export const prepareTemplate = async (server: TestServer): Promise<void> => {
  await onServer(server.url, async (client) => {
    await client.query(`create database ${TEMPLATE}`);
  });
  await migrate(databaseUrl(server.url, TEMPLATE), { queues: true });
  process.env[SERVER] = server.url;
};

/**
 * A separate migrated database for one spec file, or a copy of another one. In memory it is dropped after the file
 * (`tools/jest/environment.cjs`).
 */
export const cloneDatabase = async (from?: string): Promise<string> => {
  const server = process.env[SERVER];
  if (server === undefined) {
    throw new Error('No test server runs: this spec needs the globalSetup of test/support.');
  }
  const name = `t_${process.pid}_${Date.now().toString(36)}_${Math.random().toString(36).slice(2, 8)}`;
  await onServer(server, (client) =>
    createFromTemplate(client, name, from === undefined ? TEMPLATE : new URL(from).pathname.slice(1)),
  );
  return databaseUrl(server, name);
};

/** If another worker clones at the same moment, the template is busy for some milliseconds. */
const createFromTemplate = async (client: Client, name: string, template: string): Promise<void> => {
  for (const until = Date.now() + 10_000; ; await pause(10 + Math.random() * 20)) {
    try {
      await client.query(`create database ${name} template ${template} strategy file_copy`);
      return;
    } catch (error) {
      if (sqlStateOf(error) !== SqlState.objectInUse || Date.now() > until) throw error;
    }
  }
};

const onServer = async (url: string, work: (client: Client) => Promise<void>): Promise<void> => {
  const client = new Client({ connectionString: url });
  await client.connect();
  try {
    await work(client);
  } finally {
    await client.end();
  }
};

const databaseUrl = (server: string, name: string): string => {
  const url = new URL(server);
  url.pathname = `/${name}`;
  return url.href;
};
