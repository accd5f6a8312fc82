import { assertSchemaCompatibility, runMigrations as runQueueMigrations } from 'bullmq';
import { Client } from 'pg';
import { DataSource } from 'typeorm';

import { migrationClasses } from './classes';
import { WITHOUT_LIMITS, migrationOptions } from './data-source';
import type { Queries } from './database';
import { DatabaseStartError } from './database-start-error';
import { sqlStateOf } from './error-fields';
import { outlastLossAtStart } from './lost-at-start';
import { SqlState } from './sql-state';

/** Any number will do as long as nothing else locks it: the letters of "lamp". */
const LOCK = 0x6c_61_6d_70;

/** The schema that BullMQ keeps its tables in when queues are on Postgres. */
export const QUEUE_SCHEMA = 'bullmq';

/** BullMQ describes the driver in words of its own. */
type QueueClient = Parameters<typeof runQueueMigrations>[0];

export interface MigrationScope {
  /** False when queues are on Redis: then their tables are nobody's. */
  readonly queues: boolean;
}

/** Brings the schema up to date, and says what it did. Many processes may start at once: one works, the others wait. */
export const migrate = (url: string, scope: MigrationScope): Promise<readonly string[]> =>
  // Each migration is a transaction, and those that are done are not repeated.
  outlastLossAtStart(() => migrateOnce(url, scope));

const migrateOnce = async (url: string, { queues }: MigrationScope): Promise<readonly string[]> => {
  const client = new Client({
    connectionString: url,
    application_name: 'lamppost migrations',
    options: WITHOUT_LIMITS,
  });
  client.on('error', () => undefined); // The next statement fails and says why.
  await client.connect();
  try {
    // Held by the connection, so that a process that dies gives it back.
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

/** The service's own role changes no schema: all it needs is that whoever may has done so. */
class MayNotMigrate extends DatabaseStartError {
  constructor() {
    super(
      'The schema is behind this version, and the role of the database address may not change it: ' +
        'run npm run migrate with the address of the role that owns the tables, in DATABASE_DIRECT_URL too where that is set.',
    );
  }
}

/** BullMQ asks for its schema to be made even when it is there, which only an owner may do. */
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

/** How many migrations this code brings; they don't change while it runs. */
const KNOWN = migrationClasses().length;

/** Whether this code has migrations that the database has not seen. */
export const hasPendingMigrations = async (db: Queries): Promise<boolean> => {
  const row = await db.one<{ done: string }>('select count(*) as done from migration', [], 'migrations-done');
  return Number(row?.done ?? 0) < KNOWN;
};
