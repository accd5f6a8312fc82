import { setTimeout as pause } from 'node:timers/promises';

import { Client } from 'pg';

import type { Settings } from '../config/settings';
import { DatabaseStartError } from './database-start-error';
import { startEmbeddedPostgres } from './embedded-postgres';
import { codeOf, messageOf } from './error-fields';
import { SqlState } from './sql-state';

export interface OpenDatabase {
  readonly url: string;
  readonly embedded: boolean;
  /** Call it last, when nothing uses the database any more. */
  stop(): Promise<void>;
}

/** A server that starts beside us, as in a compose file, gets this long. */
const ANSWER_WITHIN_MS = 10_000;

/** The database of the settings, or an embedded one; either way it has answered when this resolves. */
export const openDatabase = async (
  settings: Pick<Settings, 'databaseUrl' | 'dataDir'>,
): Promise<OpenDatabase> => {
  if (settings.databaseUrl === undefined) {
    const embedded = await startEmbeddedPostgres({ dataDir: settings.dataDir });
    return { url: embedded.url, embedded: true, stop: () => embedded.stop() };
  }
  await checkAnswers(settings.databaseUrl, ANSWER_WITHIN_MS);
  return { url: settings.databaseUrl, embedded: false, stop: () => Promise.resolve() };
};

/** Tries until it answers. What can't get better by waiting, such as a wrong password, fails at once. */
const checkAnswers = async (url: string, milliseconds: number): Promise<void> => {
  const until = Date.now() + milliseconds;
  const place = placeOf(url);
  for (;;) {
    const code = await attempt(url, Math.max(1, until - Date.now()));
    if (code === undefined) return;
    const hopeless = HOPELESS[code];
    // The error that the driver threw is not passed on: some hold the whole address, and with it the password.
    if (hopeless !== undefined) throw new DatabaseStartError(`The database at ${place} ${hopeless}`);
    if (Date.now() + RETRY_EVERY_MS >= until) {
      throw new DatabaseStartError(
        `The database at ${place} does not answer (${code}); start it, correct DATABASE_URL, or leave it out to use the embedded one.`,
      );
    }
    await pause(RETRY_EVERY_MS);
  }
};

const RETRY_EVERY_MS = 250;

const HOPELESS: Readonly<Record<string, string>> = {
  [SqlState.invalidPassword]: 'refuses the user or the password; correct DATABASE_URL.',
  [SqlState.invalidAuthorization]: 'refuses the user; correct DATABASE_URL.',
  [SqlState.unknownDatabase]: 'has no database of that name; create it or correct DATABASE_URL.',
  ERR_INVALID_URL: 'can not be read as an address; correct DATABASE_URL and percent-encode its password.',
};

/** Undefined when it answered, else the code that says why not. */
const attempt = async (url: string, milliseconds: number): Promise<string | undefined> => {
  let client: Client;
  try {
    client = new Client({
      connectionString: url,
      connectionTimeoutMillis: milliseconds,
      query_timeout: milliseconds,
    });
  } catch {
    return 'ERR_INVALID_URL';
  }
  client.on('error', () => undefined);
  try {
    await client.connect();
    await client.query('select 1');
    return undefined;
  } catch (error) {
    return codeOf(error) || wordsFor(error);
  } finally {
    await client.end().catch(() => undefined);
  }
};

/** What the driver refuses by itself carries no code. */
const wordsFor = (error: unknown): string => {
  const message = messageOf(error);
  if (/password must be/.test(message)) return SqlState.invalidPassword;
  return /SSL/.test(message) ? 'it does not speak TLS' : 'no answer in time';
};

/** Host, port and name: enough to find the mistake, and nothing secret. */
const placeOf = (url: string): string => {
  try {
    const { hostname, port, pathname } = new URL(url);
    return `${hostname}:${port || '5432'}${pathname}`;
  } catch {
    return 'DATABASE_URL';
  }
};
