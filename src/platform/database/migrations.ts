import { assertSchemaCompatibility, runMigrations as runQueueMigrations } from 'bullmq';
import { Client } from 'pg';
import { DataSource } from 'typeorm';

import { commandOf } from '../config/own-command';
import { migrationClasses } from './classes';
import { migrationOptions } from './data-source';
import { WITHOUT_LIMITS } from './statement-limits';
import type { Queries } from './database';
import { DatabaseStartError } from './database-start-error';
import { sqlStateOf } from './error-fields';
import { retryAtStart } from './retry-at-start';
import { SqlState } from './sql-state';

/** The number of our advisory lock: the letters of "lamp". No other program may lock the same number. */
const LOCK = 0x6c_61_6d_70;

/** The schema of BullMQ's tables when queues are on Postgres. */
export const QUEUE_SCHEMA = 'bullmq';

/** BullMQ needs its own declaration of the driver. */
type QueueClient = Parameters<typeof runQueueMigrations>[0];

export interface MigrationScope {
  /** Whether queues are on Postgres; false if they are on Redis. */
  readonly queues: boolean;
}

/**
 * Brings the schema up to date, and returns the applied migrations. Many processes may start at once: one of them
 * migrates, and the others wait.
 */
export const migrate = (url: string, scope: MigrationScope): Promise<readonly string[]> =>
  // A retry is safe: each migration is a transaction, and TypeORM does not repeat finished ones.
  retryAtStart(() => migrateOnce(url, scope));

const migrateOnce = async (url: string, { queues }: MigrationScope): Promise<readonly string[]> => {
  const client = new Client({
    connectionString: url,
    application_name: 'lamppost migrations',
    options: WITHOUT_LIMITS,
  });
  client.on('error', () => undefined); // After a lost connection, the next statement fails with the reason.
  await client.connect();
  try {
    // The lock belongs to the connection, so Postgres releases it if this process dies.
    await client.query('select pg_advisory_lock($1)', [LOCK]);
    const names = await migrateTables(url);
    if (queues) await migrateQueues(client as QueueClient);
    return names;
  } catch (error) {
    throw sqlStateOf(error) === SqlState.insufficientPrivilege ? new MayNotMigrate() : error;
  } finally {
    await client.end().catch(() => undefined);
  }
};

/**
 * The service's own role may not change the schema. Such a process can start only if the schema is already migrated.
 */
class MayNotMigrate extends DatabaseStartError {
  constructor() {
    super(
      'The schema is behind this version, and the role of the database address may not change it: ' +
        `run ${commandOf('migrate')} with the address of the role that owns the tables, in DATABASE_DIRECT_URL too where that is set.`,
    );
  }
}

/**
 * BullMQ always runs `create schema`, which only the owner of the database may do. For any other role, this code only
 * checks the present schema.
 */
const migrateQueues = async (client: QueueClient): Promise<void> => {
  try {
    await runQueueMigrations(client, QUEUE_SCHEMA);
  } catch (error) {
    if (sqlStateOf(error) !== SqlState.insufficientPrivilege) throw error;
    await assertSchemaCompatibility(client, QUEUE_SCHEMA);
  }
};

const migrateTables = async (url: string): Promise<readonly string[]> => {
  const source = new DataSource(migrationOptions(url));
  await source.initialize();
  try {
    const done = await source.runMigrations({ transaction: 'each' });
    return done.map(({ name }) => name);
  } finally {
    await source.destroy();
  }
};

/** The number of this code's migrations. */
const KNOWN = migrationClasses().length;

/** Whether the database lacks migrations of this code. */
export const hasPendingMigrations = async (db: Queries): Promise<boolean> => {
  const row = await db.one<{ done: string }>('select count(*) as done from migration', [], 'migrations-done');
  return Number(row?.done ?? 0) < KNOWN;
};
