import { execFileSync } from 'node:child_process';

import { type DataDirectory, makeHome, openDataDirectory } from './data-directory';
import { DatabaseStartError } from './database-start-error';
import { messageOf } from './error-fields';
import {
  type RunningServer,
  type ServerSettings,
  findRunning,
  isAlive,
  spawnServer,
  urlOf,
  waitForAnswer,
  waitUntilGone,
} from './postgres-server';
import { EmbeddedServerUse } from './embedded-server-use';
import { withStartLock } from './start-lock';

export interface EmbeddedPostgres {
  readonly url: string;
  readonly pid: number;
  /** False if another process had started the server before. */
  readonly started: boolean;
  /** Ends our use of the server. The `stop` of the last user stops the server. A second call has no effect. */
  stop(): Promise<void>;
}

export interface EmbeddedOptions {
  readonly dataDir: string;
  /** Postgres settings in addition to ours. Tests use them to switch durability off. */
  readonly settings?: ServerSettings;
}

/**
 * Windows has no `sh` for the watchdog. There, the server stops only when the process that started it stops cleanly.
 */
const WATCHED = process.platform !== 'win32';
/** A server that crashed answers only after its recovery, which replays the writes since its last checkpoint. */
const ANSWER_WITHIN_MS = 30_000;
const PORT_TRIES = 3;

/**
 * A real Postgres below `dataDir`, started on first use and shared by every process that uses the same folder. The
 * server stops when the last of these processes ends, even by kill -9 (except on Windows).
 */
export const startEmbeddedPostgres = async (options: EmbeddedOptions): Promise<EmbeddedPostgres> => {
  const home = makeHome(options.dataDir);
  return withStartLock(home, async () => {
    const directory = await openDataDirectory(home);
    return (await joinRunning(directory)) ?? (await startNew(directory, options.settings ?? {}));
  });
};

const joinRunning = async (directory: DataDirectory): Promise<EmbeddedPostgres | undefined> => {
  const server = findRunning(directory);
  if (server === undefined) return undefined;
  const use = WATCHED ? EmbeddedServerUse.claim(directory) : undefined;
  if (WATCHED && use === undefined) return stopsByItself(directory, server);
  use?.watch(server.pid);
  const url = urlOf(directory, server.port);
  try {
    await waitForAnswer(url, ANSWER_WITHIN_MS, () =>
      isAlive(directory, server.pid) ? undefined : 'the running server has just stopped',
    );
  } catch (error) {
    await use?.release(server.pid);
    if (!isAlive(directory, server.pid)) return undefined;
    throw noAnswer(directory, error);
  }
  return inUse(url, server.pid, false, () => use?.release(server.pid));
};

const stopsByItself = async (directory: DataDirectory, server: RunningServer): Promise<undefined> => {
  if (!(await waitUntilGone(directory, server.pid, ANSWER_WITHIN_MS))) {
    throw new DatabaseStartError(
      `A Postgres that nobody uses still runs on ${directory.data}; end process ${server.pid} and start again.`,
    );
  }
  findRunning(directory);
};

const startNew = async (directory: DataDirectory, settings: ServerSettings): Promise<EmbeddedPostgres> => {
  for (let attempt = 1; ; attempt += 1) {
    EmbeddedServerUse.reset(directory);
    // The watchdog starts before the server, so it stops the server even if this process dies at once.
    const use = WATCHED ? EmbeddedServerUse.claim(directory) : undefined;
    const server = await spawnServer(directory, settings);
    use?.watch(server.pid);
    const url = urlOf(directory, server.port);
    try {
      await waitForAnswer(url, ANSWER_WITHIN_MS, () => server.failure);
    } catch (error) {
      await use?.release(server.pid);
      if (attempt < PORT_TRIES && /bind|TCP\/IP sockets/.test(String(error))) continue;
      throw noAnswer(directory, error);
    }
    const stopHere = async (): Promise<void> => {
      if (use !== undefined) return use.release(server.pid);
      execFileSync(directory.binaries.pgCtl, ['stop', '-m', 'fast', '-D', directory.data], {
        stdio: 'ignore',
      });
    };
    return inUse(url, server.pid, true, stopHere);
  }
};

const inUse = (
  url: string,
  pid: number,
  started: boolean,
  release: () => Promise<void> | undefined,
): EmbeddedPostgres => {
  let stopping: Promise<void> | undefined;
  return { url, pid, started, stop: () => (stopping ??= Promise.resolve(release())) };
};

const noAnswer = ({ home }: DataDirectory, error: unknown): DatabaseStartError =>
  new DatabaseStartError(
    `The database in ${home} does not answer (${messageOf(error)}); ` +
      `see ${home}/postgres.log, set DATA_DIR to another folder, or set DATABASE_URL.`,
  );
