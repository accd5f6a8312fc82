import { randomUUID } from 'node:crypto';
import { buffer } from 'node:stream/consumers';
import { Redis } from 'ioredis';
import { Client } from 'pg';

import { within } from '#kernel/deadline';
import type { Settings } from '../../settings';
import { directUrlOf } from '#platform/database/database-url';
import { hasEmbeddedDatabase } from '#platform/database/data-directory';
import { DatabaseStartError } from '#platform/database/database-start-error';
import { type OpenDatabase, POSTGRES_VERSION_MIN, openDatabase } from '#platform/database/open-database';
import { SignedHeads } from '#money/billing/transparency/kept-heads';
import { blobStoreOf } from '#platform/storage/storage.module';
import { commandOf } from '#platform/config/own-command';
import { withStoredModels } from '#faces/admin/stored-models';
import { idsBelowCost } from '#models/catalog/below-cost';
import { Catalog } from '#models/catalog/catalog';
import { isAutomatic } from '#models/catalog/catalog.settings';
import { getOrMake } from '#kernel/maps';
import { inWords } from './reasons';
import { type Check, type Checks, type Verdict, bad, ok, skipped, warning } from './findings';

/** The number of connections of one busy process. */
const CONNECTIONS = 32;
const CLOCK_SECONDS = 5;
const NOTICE_MS = 2_000;
const MADE_LATER = 'the service makes its database at its first start';
const AWAY = 'not examined: the database is away';

type Row = Readonly<Record<string, unknown>>;

const withClient = async <T>(url: string, work: (client: Client) => Promise<T>): Promise<T> => {
  const client = new Client({ connectionString: url, connectionTimeoutMillis: 5_000, query_timeout: 10_000 });
  client.on('error', () => undefined);
  await client.connect();
  try {
    return await work(client);
  } finally {
    await client.end().catch(() => undefined);
  }
};

const oneRow = async (client: Client, text: string): Promise<Row> =>
  (await client.query<Row>(text)).rows[0] ?? {};

/** The doctor makes no database, so it opens the embedded one only if it exists. */
const isMadeLater = ({ databaseUrl, dataDir }: Settings): boolean =>
  databaseUrl === undefined && !hasEmbeddedDatabase(dataDir);

/** The database of a configuration. All checks share it, so a database that is away is waited for once. */
const opened = new WeakMap<Settings, Promise<OpenDatabase>>();

const opening = (settings: Settings): Promise<OpenDatabase> =>
  getOrMake(opened, settings, () => openDatabase(settings));

/** Ends the use of the database. The embedded one stops if nothing else uses it. */
export const closeDatabase = async (settings: Settings): Promise<void> => {
  await (await opened.get(settings)?.catch(() => undefined))?.stop();
};

type WithDatabase = Settings & { readonly databaseUrl: string };

/** Leaves a check out if there is no database, or if it is away. The check `database` reports the reason. */
const withDatabase =
  (check: (settings: WithDatabase) => Promise<Verdict>): Check =>
  async (settings) => {
    if (isMadeLater(settings)) return skipped(MADE_LATER);
    const database = await opening(settings).catch(() => undefined);
    return database === undefined ? skipped(AWAY) : check({ ...settings, databaseUrl: database.url });
  };

/** Leaves a check out for the embedded database, which has one role, no pooler and no standby. */
const withServer = (check: (settings: WithDatabase) => Promise<Verdict>): Check => {
  const inner = withDatabase(check);
  return (settings) =>
    settings.databaseUrl === undefined
      ? Promise.resolve(skipped('not needed for the embedded database'))
      : inner(settings);
};

/** Reads the rights on the money tables, or the right to create tables if these do not exist yet. */
const RIGHTS = `select rolsuper as super, current_user as name, to_regclass('charge') is not null as made,
    case when to_regclass('charge') is null then has_schema_privilege(current_schema(), 'create')
      else has_table_privilege('charge', 'select, insert, update') and has_table_privilege('ledger_entry', 'select, insert')
    end as may
  from pg_roles where rolname = current_user`;

const numbersOf = (client: Client): Promise<Row> =>
  oneRow(
    client,
    `select current_setting('server_version_num')::int as version, current_setting('server_version') as text,
       current_setting('max_connections')::int as most, extract(epoch from clock_timestamp()) * 1000 as now`,
  );

const redisOf = (url: string): Redis =>
  new Redis(url, {
    lazyConnect: true,
    connectTimeout: 5_000,
    maxRetriesPerRequest: 0,
    retryStrategy: () => null,
  });

const BELOW_COST = 'they sell below their cost';

/** Without lists of vendors, all prices and costs are in the catalog. */
const catalogPrices = (settings: Settings): Verdict => {
  const below = idsBelowCost(new Catalog(settings));
  return below.length === 0
    ? skipped('the catalog does not use the lists of vendors')
    : warning(
        `${BELOW_COST}: ${namesText(below)}`,
        'Raise their prices in the file of CATALOG_FILE, or correct costUsd of their routes.',
      );
};

const storedPrices = withDatabase(async (settings) => {
  const stored = await withStoredModels(settings, (models) => models.list()).catch(() => undefined);
  if (stored === undefined) return skipped('the database has no models of this release');
  const { models, lists } = stored;
  const problems = [
    ...lists.flatMap(({ vendor, problem }) => (problem === undefined ? [] : [`${vendor}: ${problem}`])),
    ...lists.flatMap(({ vendor, isOld, readAt }) => (isOld ? [`the list of ${vendor} is of ${readAt}`] : [])),
    ...lists.flatMap(({ vendor, missing, missingModels: names }) =>
      missing === 0 ? [] : [`the newest list of ${vendor} lacks ${namesText(names, missing)}`],
    ),
    ...withNames(
      'their new price waits for your agreement',
      models.filter(({ held }) => held.length > 0),
    ),
    ...withNames(
      BELOW_COST,
      models.filter(({ forSale, isBelowCost }) => forSale && isBelowCost),
    ),
  ];
  return problems.length === 0
    ? ok(`models for sale: ${models.filter(({ forSale }) => forSale).length}`)
    : warning(problems.join('; '), `See /admin → Models, or run ${commandOf('models')}`);
});

/** Checks the database of rows, the queues and the files. */
export const DATA_CHECKS: Checks = {
  database: async (settings) => {
    if (isMadeLater(settings)) return skipped(MADE_LATER);
    let database: OpenDatabase;
    try {
      database = await opening(settings);
    } catch (error) {
      if (!(error instanceof DatabaseStartError)) throw error;
      return bad(
        error.message,
        'Then run the doctor again: it has left out the other checks of the database.',
      );
    }
    const { version, text, most } = await withClient(database.directUrl, numbersOf);
    if (Number(version) < POSTGRES_VERSION_MIN) return bad(`Postgres ${text}`, 'Use Postgres 14 or later.');
    return Number(most) < 2 * CONNECTIONS
      ? warning(
          `Postgres ${text} takes ${most} connections`,
          `A busy process holds up to ${CONNECTIONS}: raise max_connections, or put a pooler in front.`,
        )
      : ok(`${database.embedded ? 'embedded ' : ''}Postgres ${text}, ${most} connections`);
  },

  'database role': withServer(async ({ databaseUrl }) => {
    const {
      super: isSuper,
      name,
      made,
      may,
    } = await withClient(databaseUrl, (client) => oneRow(client, RIGHTS));
    if (may !== true)
      return bad(
        `${name} may not ${made === true ? 'read and write the tables' : 'make tables'}`,
        made === true
          ? 'Run deploy/postgres/roles.sql, once more after each upgrade.'
          : `Run ${commandOf('migrate')} as a role that may, or deploy/postgres/roles.sql.`,
      );
    return isSuper === true
      ? warning(
          `${name} is a superuser`,
          'deploy/postgres/roles.sql makes a role that may do only what it needs.',
        )
      : ok(
          `${name} ${made === true ? 'may use the tables' : 'may make the tables, which are not there yet'}`,
        );
  }),

  'model prices': async (settings) =>
    isAutomatic(settings) ? storedPrices(settings) : catalogPrices(settings),

  /** Behind a pooler, other clients use the same session, so it receives no notifications. */
  pooler: withServer(async (settings) => {
    const channel = `doctor_${randomUUID().replaceAll('-', '')}`;
    const received = await withClient(directUrlOf(settings), async (client) => {
      const notice = new Promise<boolean>((resolve) => client.once('notification', () => resolve(true)));
      await client.query(`listen ${channel}`);
      await withClient(directUrlOf(settings), (other) => other.query(`notify ${channel}`));
      return within(NOTICE_MS, notice, () => false);
    });
    if (received)
      return ok(
        settings.databaseDirectUrl === undefined ? 'none in front' : 'in front, and sessions beside it',
      );
    return settings.databaseDirectUrl === undefined
      ? bad(
          'a pooler in transaction mode is in front: notifications get lost',
          'Set DATABASE_DIRECT_URL to the server itself, for notices, queues and migrations.',
        )
      : bad('DATABASE_DIRECT_URL leads to a pooler, too', 'Name the server itself there.');
  }),

  'database clock': withDatabase(async ({ databaseUrl }) => {
    const sentAt = Date.now();
    const { now } = await withClient(databaseUrl, numbersOf);
    const off = Math.round(Math.max(0, sentAt - Number(now), Number(now) - Date.now()) / 1_000);
    const text = `${off} seconds from the one here`;
    return off > CLOCK_SECONDS
      ? warning(text, 'Set both clocks by NTP: sign-ins, quotes and payments carry the time of this one.')
      : ok(text);
  }),

  /** Without a synchronous standby, the death of the server may lose the newest answered charges. */
  standby: withServer(async (settings) => {
    const { names, commit } = await withClient(directUrlOf(settings), (client) =>
      oneRow(
        client,
        `select current_setting('synchronous_standby_names') as names, current_setting('synchronous_commit') as commit`,
      ),
    );
    if (names === '')
      return warning(
        'commits wait for no standby',
        'If the server and its disk are lost, so are the newest charges. See docs/operations/second-database.md.',
      );
    return commit === 'off' || commit === 'local'
      ? warning(`synchronous_commit is ${commit}`, 'Set it to on, so that a commit waits for the standby.')
      : ok('commits wait for a standby');
  }),

  queues: async ({ redisUrl }) => {
    if (redisUrl === undefined) return ok('in the database');
    const redis = redisOf(redisUrl);
    let reason: unknown; // The library rejects with "Connection is closed", and emits the reason before.
    redis.on('error', (error) => (reason = error));
    try {
      await redis.connect();
      const info = await redis.info();
      const version = /redis_version:(\S+)/.exec(info)?.[1] ?? 'of an unknown version';
      const policy = /maxmemory_policy:(\S+)/.exec(info)?.[1];
      if (Number.parseFloat(version) < 6.2) return bad(`Redis ${version}`, 'Use Redis 6.2 or later.');
      return policy === undefined || policy === 'noeviction'
        ? ok(`Redis ${version}`)
        : warning(
            `Redis ${version} may throw entries away (${policy})`,
            'Set its maxmemory-policy to noeviction.',
          );
    } catch (error) {
      const { hostname, port } = new URL(redisUrl);
      const fault = (reason ?? error) as Error;
      const what =
        fault.name === 'ReplyError' ? `refuses us: ${fault.message}` : `does not answer${inWords(fault)}`;
      return bad(
        `Redis at ${hostname}:${port || 6379} ${what}`,
        'Start it, correct REDIS_URL, or leave it out: queues then live in the database.',
      );
    } finally {
      redis.disconnect();
    }
  },

  /** A database that was restored to an earlier time lacks later entries that the log has already signed. */
  'transparency log': withDatabase(async (settings) => {
    const rows = await withClient(settings.databaseUrl, async (client) => {
      const { made } = await oneRow(client, `select to_regclass('transparency_log') is not null as made`);
      if (made !== true) return [];
      const logs = 'select id, mark, size::int as size, origin from transparency_log order by id desc';
      return (await client.query<Row>(logs)).rows;
    });
    const [current] = rows;
    if (current === undefined) return ok('nothing is sealed yet');
    const head = await new SignedHeads(blobStoreOf(settings), settings).ofDeployment(String(current['mark']));
    if (head !== undefined && (head.log > Number(current['id']) || head.size > Number(current['size'])))
      return warning(
        `the database has ${String(current['size'])} entries of ${String(current['origin'])}, and ${head.size} are signed`,
        'It was restored to an earlier time. When the service starts, a new log begins that names the old one; see docs/operations/configure/transparency-log.md.',
      );
    const text = `${String(current['origin'])}, ${String(current['size'])} entries`;
    return rows.length > 1
      ? warning(
          `${text}; it is log ${rows.length} of this database`,
          'The database was restored, and the log began again. Inform its readers.',
        )
      : ok(text);
  }),

  media: async (settings) => {
    const where = settings.blobs.store === 's3' ? `the bucket ${settings.blobs.s3.bucket}` : 'the disk';
    try {
      await writeReadDelete(settings);
      return ok(`${where} stores, reads and deletes files`);
    } catch (error) {
      return bad(
        `${where} does not: ${(error as Error).message}`,
        settings.blobs.store === 's3'
          ? 'Check the S3 settings, the bucket and the permissions of its key.'
          : 'Check that DATA_DIR is writable.',
      );
    }
  },
};

const NAMED_MAX = 10;

const namesText = (names: readonly string[], all = names.length): string =>
  `${names.slice(0, NAMED_MAX).join(', ')}${all > NAMED_MAX ? ` and ${all - NAMED_MAX} more` : ''}`;

const withNames = (what: string, models: readonly { readonly id: string }[]): readonly string[] =>
  models.length === 0 ? [] : [`${what}: ${namesText(models.map(({ id }) => id))}`];

const writeReadDelete = async (settings: Settings): Promise<void> => {
  const blobs = blobStoreOf(settings);
  const [key, bytes] = [`doctor/${randomUUID()}`, Buffer.from(randomUUID())];
  await blobs.put(key, bytes, { mime: 'text/plain' });
  const stored = await blobs.get(key);
  const read = stored === undefined ? Buffer.alloc(0) : await buffer(stored.stream);
  await blobs.delete(key);
  if (!read.equals(bytes)) throw new Error('it returned other bytes than it stored');
  if ((await blobs.head(key)) !== undefined) throw new Error('it kept a deleted file');
};
