import { Logger } from '@nestjs/common';
import pg, { type Client } from 'pg';
import { DataSource, type DataSourceOptions, QueryFailedError, type QueryRunner } from 'typeorm';

import { tracedStatement } from '../telemetry/traces';
import { entityClasses, migrationClasses } from './classes';
import { reaching } from './reaching';
import { isConnectionLost } from './sql-state';

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

const QUIET_MS = 60_000;
let quietUntil = 0;

/** An outage loses all idle connections at once, and is one line. */
const idleLost = (error: Error): void => {
  if (Date.now() < quietUntil) return;
  quietUntil = Date.now() + QUIET_MS;
  logger.warn(`Idle connections were lost: ${error.message}`);
};

const base = (url: string) =>
  ({
    type: 'postgres',
    driver: pg,
    url,
    applicationName: 'lamppost',
    connectTimeoutMS: 5_000,
    // Ids come from gen_random_uuid(), which needs no extension and so no privilege to install one.
    uuidExtension: 'pgcrypto',
    installExtensions: false,
    synchronize: false,
    migrationsTableName: 'migration',
    // Without a listener, an idle connection that dies would end the process.
    poolErrorHandler: (error: Error) => idleLost(error),
  }) as const satisfies DataSourceOptions;

/** What each session of the service is told as it begins. Behind a pooler its role brings them along instead. */
export const SESSION_LIMITS = {
  statement_timeout: STATEMENT_TIMEOUT_MS,
  lock_timeout: LOCK_TIMEOUT_MS,
  idle_in_transaction_session_timeout: IDLE_IN_TRANSACTION_MS,
};

/** What the service works with. */
export const serviceOptions = (url: string, pooled = false): DataSourceOptions => ({
  ...base(url),
  entities: entityClasses(),
  poolSize: POOL_SIZE,
  extra: {
    ...(pooled ? {} : SESSION_LIMITS),
    query_timeout: ANSWER_TIMEOUT_MS,
    keepAlive: true,
  },
});

/** The service's role may come with limits of its own, and what changes the schema takes as long as it takes. */
export const WITHOUT_LIMITS = '-c statement_timeout=0 -c idle_in_transaction_session_timeout=0';

/** What migrations run with: no entities, and no limit on how long a statement takes. */
export const migrationOptions = (url: string): DataSourceOptions => ({
  ...base(url),
  migrations: migrationClasses(),
  poolSize: 2,
  extra: { lock_timeout: MIGRATION_LOCK_TIMEOUT_MS, options: WITHOUT_LIMITS },
});

/** What TypeORM writes is named after its table, as `account-select`: its own words begin with all columns. */
const named = (text: string): string => {
  const [verb = ''] = text.split(' ', 1);
  const table = /^(?:UPDATE|(?:SELECT|INSERT|DELETE)\b.*?\b(?:FROM|INTO)) "(\w+)"/s.exec(text)?.[1];
  return table === undefined ? text : `/* ${table}-${verb.toLowerCase()} */ ${text}`;
};

/**
 * Its repositories reach the server as our own statements do, and fail with the same errors. Each try has a connection
 * of its own: one that waits for its next try keeps none from those who could go on.
 */
export class ServiceDataSource extends DataSource {
  override createQueryRunner(...mode: Parameters<DataSource['createQueryRunner']>): QueryRunner {
    const runner = super.createQueryRunner(...mode);
    const query = runner.query.bind(runner) as (text: string, ...more: unknown[]) => Promise<unknown>;
    const tried = async (text: string, more: unknown[]): Promise<unknown> => {
      const alone = super.createQueryRunner(...mode);
      try {
        const sent = named(text);
        return await tracedStatement(sent, () => alone.query(sent, ...(more as [])));
      } catch (error) {
        if (!(error instanceof QueryFailedError)) throw error;
        // TypeORM gives a connection back as if it were well; the pool takes none that is ending.
        if (isConnectionLost(error.driverError))
          ((await alone.connect()) as Client).end().catch(() => undefined);
        // TypeORM's own error carries all values of the statement, which may be secrets, into whatever logs it.
        throw error.driverError;
      } finally {
        await alone.release();
      }
    };
    return Object.assign(runner, {
      query: (text: string, ...more: unknown[]) =>
        // What is undone within a transaction is undone with all of it, and can't be repeated alone.
        runner.isTransactionActive
          ? tracedStatement(text, () => query(text, ...more))
          : reaching(() => tried(text, more)),
    });
  }
}

export const createDataSource = (url: string): DataSource => new ServiceDataSource(serviceOptions(url));
