import { setTimeout as pause } from 'node:timers/promises';

import { Client } from 'pg';

import { SESSION_LIMITS } from './statement-limits';
import { DatabaseStartError } from './database-start-error';
import { isPooled, hostAndPathOf } from './database-url';
import { startEmbeddedPostgres } from './embedded-postgres';
import { codeOf, messageOf } from './error-fields';
import { SqlState } from './sql-state';
import type { DatabaseSettings } from './database.settings';

export interface OpenDatabase {
  readonly url: string;
  /** The same database, without a pooler in between. */
  readonly directUrl: string;
  readonly embedded: boolean;
  /** Must be called last, when nothing uses the database any more. */
  stop(): Promise<void>;
}

/** Postgres 14, as the server reports it. */
export const POSTGRES_VERSION_MIN = 140_000;

/** The time to wait for a database server that starts together with this process, as in a compose file. */
const ANSWER_WITHIN_MS = 10_000;

/** The database of the settings, or an embedded one. The promise resolves when the database has answered. */
export const openDatabase = async (
  settings: Pick<DatabaseSettings, 'databaseUrl' | 'dataDir'> &
    Partial<Pick<DatabaseSettings, 'databaseDirectUrl'>>,
): Promise<OpenDatabase> => {
  if (settings.databaseUrl === undefined) {
    const embedded = await startEmbeddedPostgres({ dataDir: settings.dataDir });
    const { url } = embedded;
    return { url, directUrl: url, embedded: true, stop: () => embedded.stop() };
  }
  const { databaseUrl: url, databaseDirectUrl } = settings;
  const directUrl = databaseDirectUrl ?? url;
  await checkAnswers({
    url: directUrl,
    setting: isPooled(settings) ? 'DATABASE_DIRECT_URL' : 'DATABASE_URL',
  });
  if (isPooled(settings)) await checkAnswers({ url, setting: 'DATABASE_URL', isPooler: true });
  return { url, directUrl, embedded: false, stop: () => Promise.resolve() };
};

interface Address {
  readonly url: string;
  /** The setting that an operator must correct. */
  readonly setting: string;
  readonly isPooler?: boolean;
}

/** Retries until the server answers. Fails at once for an error that no retry can solve, such as a wrong password. */
const checkAnswers = async (address: Address): Promise<void> => {
  const until = Date.now() + ANSWER_WITHIN_MS;
  const target = hostAndPathOf(address.url);
  for (;;) {
    const code = await attempt(address, Math.max(1, until - Date.now()));
    if (code === undefined) return;
    const hopeless = HOPELESS[code]?.replace('SETTING', address.setting);
    // The driver's error is not passed on, because it may contain the whole address with the password.
    if (hopeless !== undefined) throw new DatabaseStartError(`The database at ${target} ${hopeless}`);
    if (Date.now() + RETRY_EVERY_MS >= until) {
      throw new DatabaseStartError(
        `The database at ${target} does not answer (${code}); start it, correct ${address.setting}, or remove this setting to use the embedded database.`,
      );
    }
    await pause(RETRY_EVERY_MS);
  }
};

const RETRY_EVERY_MS = 250;

const POOLER = 'ERR_POOLER';

const HOPELESS: Readonly<Record<string, string>> = {
  [SqlState.invalidPassword]: 'refuses the user or the password; correct SETTING.',
  [SqlState.invalidAuthorization]: 'refuses the user, or a connection without TLS; correct SETTING.',
  [SqlState.unknownDatabase]: 'has no database of that name; create it or correct SETTING.',
  // A pooler refuses the session limits in the startup parameters.
  [POOLER]: 'is a pooler; name the server itself in DATABASE_DIRECT_URL, too.',
  ERR_INVALID_URL: 'cannot be read as an address; correct SETTING and percent-encode its password.',
  ENOENT: 'names a file that is not there (sslrootcert, sslcert or sslkey); correct SETTING.',
  ...Object.fromEntries(
    [
      'SELF_SIGNED_CERT_IN_CHAIN',
      'DEPTH_ZERO_SELF_SIGNED_CERT',
      'UNABLE_TO_VERIFY_LEAF_SIGNATURE',
      'UNABLE_TO_GET_ISSUER_CERT_LOCALLY',
      'CERT_HAS_EXPIRED',
      'ERR_TLS_CERT_ALTNAME_INVALID',
    ].map((code) => [
      code,
      `shows a certificate that can't be trusted (${code}); name its authority as sslrootcert in SETTING.`,
    ]),
  ),
};

/** Undefined if it answered, or else the code of the reason. */
const attempt = async (
  { url, isPooler = false }: Address,
  milliseconds: number,
): Promise<string | undefined> => {
  let client: Client;
  try {
    client = new Client({
      connectionString: url,
      connectionTimeoutMillis: milliseconds,
      query_timeout: milliseconds,
      ...(isPooler ? {} : SESSION_LIMITS),
    });
  } catch (error) {
    return codeOf(error) === 'ENOENT' ? 'ENOENT' : 'ERR_INVALID_URL';
  }
  client.on('error', () => undefined);
  try {
    await client.connect();
    await client.query('select 1');
    return undefined;
  } catch (error) {
    return /unsupported startup parameter/.test(messageOf(error)) ? POOLER : codeOf(error) || wordsFor(error);
  } finally {
    await client.end().catch(() => undefined);
  }
};

/** Describes an error without a code: the driver's own errors have none. */
const wordsFor = (error: unknown): string => {
  const message = messageOf(error);
  if (/password must be/.test(message)) return SqlState.invalidPassword;
  return /SSL/.test(message) ? 'it does not speak TLS' : 'no answer in time';
};
