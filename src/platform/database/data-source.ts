import { Logger } from '@nestjs/common';
import pg, { type Client } from 'pg';
import { DataSource, type DataSourceOptions, QueryFailedError, type QueryRunner } from 'typeorm';

import { tracedStatement } from '../telemetry/traces';
import { entityClasses, migrationClasses } from './classes';
import { runStatement } from './run-statement';
import { isConnectionLost } from './sql-state';

/** 200 connections are a common limit of a server: this leaves room for several processes and their queues. */
const POOL_SIZE = 20;

/**
 * Our statements take milliseconds. A longer one is stuck, and its caller has gone; it must hold neither rows nor a
 * connection. Long work sets its own limit with `set local statement_timeout`.
 */
const STATEMENT_TIMEOUT_MS = 1_500;
const LOCK_TIMEOUT_MS = 1_000;
const IDLE_IN_TRANSACTION_MS = 2_000;
/** Longer than the server's own limit: this one applies only if the network has lost the answer. */
const ANSWER_TIMEOUT_MS = 10_000;
/**
 * Migrations may run for long, but must not queue behind a lock, because every other statement would queue behind them.
 */
const MIGRATION_LOCK_TIMEOUT_MS = 10_000;

const logger = new Logger('Database');

const QUIET_MS = 60_000;
let quietUntil = 0;

/** An outage ends all idle connections at once, and is one log line. */
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

/** The first statements of each session of the service. Behind a pooler its role sets them instead. */
export const SESSION_LIMITS = {
  statement_timeout: STATEMENT_TIMEOUT_MS,
  lock_timeout: LOCK_TIMEOUT_MS,
  idle_in_transaction_session_timeout: IDLE_IN_TRANSACTION_MS,
};

/** The data source of the service. */
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

/** The service's role may have limits of its own, and migrations take as long as they need. */
export const WITHOUT_LIMITS = '-c statement_timeout=0 -c idle_in_transaction_session_timeout=0';

/** The data source of migrations: no entities, and no limit on a statement. */
export const migrationOptions = (url: string): DataSourceOptions => ({
  ...base(url),
  migrations: migrationClasses(),
  poolSize: 2,
  extra: { lock_timeout: MIGRATION_LOCK_TIMEOUT_MS, options: WITHOUT_LIMITS },
});

/**
 * TypeORM's statements are named after their table, as `account-select`, because their texts begin with all columns.
 */
const named = (text: string): string => {
  const [verb = ''] = text.split(' ', 1);
  const table = /^(?:UPDATE|(?:SELECT|INSERT|DELETE)\b.*?\b(?:FROM|INTO)) "(\w+)"/s.exec(text)?.[1];
  return table === undefined ? text : `/* ${table}-${verb.toLowerCase()} */ ${text}`;
};

/**
 * TypeORM's repositories use the same path as our own statements, and fail with the same errors. Each try has its own
 * connection, so a waiting retry holds none.
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
        // TypeORM returns a connection as healthy; the pool rejects one that is ending.
        if (isConnectionLost(error.driverError))
          ((await alone.connect()) as Client).end().catch(() => undefined);
        // TypeORM's own error contains all values of the statement, which may be secrets.
        throw error.driverError;
      } finally {
        await alone.release();
      }
    };
    return Object.assign(runner, {
      query: (text: string, ...more: unknown[]) =>
        // A transaction is undone as a whole, so its statement can't be repeated alone.
        runner.isTransactionActive
          ? tracedStatement(text, () => query(text, ...more))
          : runStatement(() => tried(text, more)),
    });
  }
}

export const createDataSource = (url: string): DataSource => new ServiceDataSource(serviceOptions(url));
