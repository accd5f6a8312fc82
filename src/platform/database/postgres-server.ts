import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, openSync, readFileSync, rmSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';

import { Client } from 'pg';

import { withErrorListener } from '#kernel/with-error-listener';
import { type DataDirectory, SERVER_ENV, dataPath } from './data-directory';
import { DatabaseStartError, lastLine } from './database-start-error';
import { codeOf, messageOf } from './error-fields';

export interface RunningServer {
  readonly pid: number;
  readonly port: number;
}

export type ServerSettings = Readonly<Record<string, string | number>>;

const SETTINGS: ServerSettings = {
  listen_addresses: '127.0.0.1',
  unix_socket_directories: '',
  max_connections: 200,
  timezone: 'UTC',
  // This time is below our lock timeout. So in a deadlock Postgres rolls back only one of the two statements.
  deadlock_timeout: '200ms',
  // Statements contain text of callers, so the log file must not contain statements.
  log_min_messages: 'fatal',
  log_min_error_statement: 'panic',
  log_checkpoints: 'off',
};

export const urlOf = (directory: DataDirectory, port: number): string =>
  `postgres://lamppost:${directory.password}@127.0.0.1:${port}/postgres`;

/**
 * Finds the server that already runs on this data directory. It removes the pid file of a dead server, because the file
 * would block a new server.
 */
export const findRunning = (directory: DataDirectory): RunningServer | undefined => {
  const file = join(directory.data, 'postmaster.pid');
  let lines: string[];
  try {
    lines = readFileSync(file, 'utf8').split('\n');
  } catch {
    return undefined;
  }
  const pid = Number(lines[0]);
  if (isAlive(directory, pid)) return { pid, port: Number(lines[3]) };
  rmSync(file, { force: true });
  return undefined;
};

/** Compares the mark in the command line, because another program may now have the process id. */
export const isAlive = (directory: DataDirectory, pid: number): boolean => {
  try {
    process.kill(pid, 0);
  } catch (error) {
    if (codeOf(error) !== 'EPERM') return false;
  }
  return process.platform === 'win32' || commandLine(pid).includes(directory.clusterName);
};

/** The result is empty for a zombie process. */
const commandLine = (pid: number): string => {
  try {
    return process.platform === 'linux'
      ? readFileSync(`/proc/${pid}/cmdline`, 'utf8')
      : execFileSync('ps', ['-ww', '-o', 'command=', '-p', String(pid)], { encoding: 'utf8' });
  } catch {
    return '';
  }
};

/**
 * Starts Postgres on a free port. The server is detached from our terminal, so Ctrl-C does not end it before the drain
 * of the service.
 */
export const spawnServer = async (
  directory: DataDirectory,
  extra: ServerSettings,
): Promise<SpawnedServer> => {
  const port = await freePort();
  const settings = { ...SETTINGS, cluster_name: directory.clusterName, ...extra, port };
  const flags = Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`]);
  const log = join(directory.home, 'postgres.log');
  rmSync(log, { force: true }); // Postgres can't open a log file of another account.
  const output = openSync(log, 'wx', 0o600);
  try {
    const child = withErrorListener(
      spawn(directory.binaries.postgres, ['-D', dataPath(directory.data, directory.account), ...flags], {
        ...directory.account,
        cwd: directory.data,
        env: SERVER_ENV,
        detached: true,
        stdio: ['ignore', output, output],
      }),
    );
    return new SpawnedServer(child, port, log);
  } finally {
    closeSync(output);
  }
};

/** A server that this process has started and that may not answer yet. */
export class SpawnedServer {
  private failed?: Error;

  constructor(
    private readonly child: ChildProcess,
    readonly port: number,
    private readonly log: string,
  ) {
    child.on('error', (error) => (this.failed = error));
    child.unref();
  }

  get pid(): number {
    return this.child.pid ?? 0;
  }

  /** The reason why it ended, or undefined while it runs. */
  get failure(): string | undefined {
    if (this.failed !== undefined) return this.failed.message;
    return this.child.exitCode === null && this.child.signalCode === null ? undefined : this.lastOutput();
  }

  private lastOutput(): string {
    return lastLine(readFileSync(this.log, 'utf8'));
  }
}

const freePort = async (): Promise<number> => {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  server.close();
  return typeof address === 'object' && address !== null ? address.port : 0;
};

/** Tries to connect until the server answers, fails to start, or exceeds the time. */
export const waitForAnswer = async (
  url: string,
  milliseconds: number,
  failure: () => string | undefined,
): Promise<void> => {
  const until = Date.now() + milliseconds;
  for (;;) {
    const reason = failure();
    if (reason !== undefined) throw new DatabaseStartError(reason);
    const problem = await tryConnecting(url);
    if (problem === undefined) return;
    if (Date.now() > until) throw new DatabaseStartError(problem);
    await pause(20);
  }
};

const tryConnecting = async (connectionString: string): Promise<string | undefined> => {
  const client = new Client({ connectionString, connectionTimeoutMillis: 2_000 });
  client.on('error', () => undefined);
  try {
    await client.connect();
    return undefined;
  } catch (error) {
    return messageOf(error);
  } finally {
    await client.end().catch(() => undefined);
  }
};

/** Resolves to true if the server ended within the time. */
export const waitUntilGone = async (
  directory: DataDirectory,
  pid: number,
  milliseconds: number,
): Promise<boolean> => {
  for (const until = Date.now() + milliseconds; Date.now() < until; await pause(10)) {
    if (!isAlive(directory, pid)) return true;
  }
  return false;
};
