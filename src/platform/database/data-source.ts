import { readdirSync } from 'node:fs';
import { join } from 'node:path';

import { Logger } from '@nestjs/common';
import { DataSource, type DataSourceOptions } from 'typeorm';

const SOURCES = join(__dirname, '..', '..');
const MIGRATIONS = join(SOURCES, '..', 'migrations');

/** Loaded by us and not by the library: they must be the very classes that the rest of the code knows. */
const classesIn = (folder: string, names: RegExp): NewableFunction[] =>
  readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((name) => names.test(name))
    .flatMap((name) => Object.values(module.require(join(folder, name)) as object))
    .filter((value): value is NewableFunction => typeof value === 'function');

/** 200 connections are a common limit of a server: this leaves room for several processes and their queues. */
const POOL_SIZE = 20;

/**
 * A statement of ours takes milliseconds. One that doesn't end is stuck, and a caller who waits longer than this has
 * gone; it may hold neither rows nor a connection. Long work sets its own with `set local statement_timeout`.
 */
const STATEMENT_TIMEOUT_MS = 1_500;
const LOCK_TIMEOUT_MS = 1_000;
const IDLE_IN_TRANSACTION_MS = 2_000;
/** Longer than the server's own limit: this one speaks up only when the network has swallowed the answer. */
const ANSWER_TIMEOUT_MS = 10_000;
/** Migrations may run for long, but must not queue behind a lock: everything else would queue behind them. */
const MIGRATION_LOCK_TIMEOUT_MS = 10_000;

const logger = new Logger('Database');

const base = (url: string) =>
  ({
    type: 'postgres',
    url,
    applicationName: 'lamppost',
    connectTimeoutMS: 5_000,
    // Ids come from gen_random_uuid(), which needs no extension and so no privilege to install one.
    uuidExtension: 'pgcrypto',
    installExtensions: false,
    synchronize: false,
    migrationsTableName: 'migration',
    // Without a listener, an idle connection that dies would end the process.
    poolErrorHandler: (error: Error) => logger.warn(`An idle connection was lost: ${error.message}`),
  }) as const satisfies DataSourceOptions;

/** What the service works with. */
export const serviceOptions = (url: string): DataSourceOptions => ({
  ...base(url),
  entities: classesIn(SOURCES, /\.entity\.(ts|js)$/),
  poolSize: POOL_SIZE,
  extra: {
    statement_timeout: STATEMENT_TIMEOUT_MS,
    lock_timeout: LOCK_TIMEOUT_MS,
    idle_in_transaction_session_timeout: IDLE_IN_TRANSACTION_MS,
    query_timeout: ANSWER_TIMEOUT_MS,
    keepAlive: true,
  },
});

/** What migrations run with: no entities, and no limit on how long a statement takes. */
export const migrationOptions = (url: string): DataSourceOptions => ({
  ...base(url),
  migrations: classesIn(MIGRATIONS, /^\d+-[^.]*\.(ts|js)$/),
  poolSize: 2,
  extra: { lock_timeout: MIGRATION_LOCK_TIMEOUT_MS },
});

export const createDataSource = (url: string): DataSource => new DataSource(serviceOptions(url));
