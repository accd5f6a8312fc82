import { Logger } from '@nestjs/common';
import pg, { type Client } from 'pg';
import {
  AbstractLogger,
  DataSource,
  type DataSourceOptions,
  type LogLevel,
  type LogMessage,
  QueryFailedError,
  type QueryRunner,
} from 'typeorm';

import { tracedStatement } from '../telemetry/traces';
import { entityClasses, migrationClasses } from './classes';
import { runStatement } from './run-statement';
import { isConnectionLost } from './sql-state';
import { TolerantClient } from './tolerant-client';
import {
  ANSWER_TIMEOUT_MS,
  MIGRATION_LOCK_TIMEOUT_MS,
  SESSION_LIMITS,
  WITHOUT_LIMITS,
} from './statement-limits';

const logger = new Logger('Database');

const QUIET_MS = 60_000;
let quietUntil = 0;

/** An outage ends all idle connections at once, and the log gets one line. */
const idleLost = (error: Error): void => {
  if (Date.now() < quietUntil) return;
  quietUntil = Date.now() + QUIET_MS;
  logger.warn(`Idle connections were lost: ${error.message}`);
};

/** By default, TypeORM prints the name of a failed migration with `console.log`. */
class TypeOrmLog extends AbstractLogger {
  protected override writeLog(_: LogLevel, messages: LogMessage): void {
    for (const { message } of this.prepareLogMessages(messages)) logger.error(String(message));
  }
}

const base = (url: string) =>
  ({
    type: 'postgres',
    driver: pg,
    url,
    applicationName: 'lamppost',
    connectTimeoutMS: 5_000,
    // gen_random_uuid() makes the ids. It needs no extension, and so no privilege to install one.
    uuidExtension: 'pgcrypto',
    installExtensions: false,
    synchronize: false,
    migrationsTableName: 'migration',
    // Without a listener, the error of a lost idle connection would end the process.
    poolErrorHandler: (error: Error) => idleLost(error),
    logger: new TypeOrmLog(),
  }) as const satisfies DataSourceOptions;

/**
 * A new connection plans all statements again. So calls after a pause waited up to a second while the driver closed idle
 * connections after its default of ten seconds.
 */
const IDLE_CONNECTION_MS = 5 * 60_000;
/**
 * A load balancer or a firewall may forget an idle connection without a word, and some do so after four minutes. The
 * next call on it would wait for `ANSWER_TIMEOUT_MS`. Probes prevent that, and find a server that has gone.
 */
const PROBE_AFTER_MS = 10_000;

/** The data source of the service, or of a command with one of its database. */
export const serviceOptions = (
  url: string,
  { isPooled = false, connections = 4 }: { readonly isPooled?: boolean; readonly connections?: number } = {},
): DataSourceOptions => ({
  ...base(url),
  entities: entityClasses(),
  poolSize: connections,
  extra: {
    ...(isPooled ? {} : SESSION_LIMITS),
    Client: TolerantClient,
    query_timeout: ANSWER_TIMEOUT_MS,
    keepAlive: true,
    keepAliveInitialDelayMillis: PROBE_AFTER_MS,
    idleTimeoutMillis: IDLE_CONNECTION_MS,
  },
});

/** The data source of migrations: no entities, and no limit on a statement. */
export const migrationOptions = (url: string): DataSourceOptions => ({
  ...base(url),
  migrations: migrationClasses(),
  poolSize: 2,
  extra: { Client: TolerantClient, lock_timeout: MIGRATION_LOCK_TIMEOUT_MS, options: WITHOUT_LIMITS },
});

/**
 * Names TypeORM's statements after their table, such as `account-select`, because all their texts begin with the
 * columns.
 */
const named = (text: string): string => {
  const [verb = ''] = text.split(' ', 1);
  const table = /^(?:UPDATE|(?:SELECT|INSERT|DELETE)\b.*?\b(?:FROM|INTO)) "(\w+)"/s.exec(text)?.[1];
  return table === undefined ? text : `/* ${table}-${verb.toLowerCase()} */ ${text}`;
};

/**
 * TypeORM's repositories use the same path as our own statements, and fail with the same errors. Each try uses a new
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
        // TypeORM returns every connection as healthy, but the pool rejects one that is ending.
        if (isConnectionLost(error.driverError))
          ((await alone.connect()) as Client).end().catch(() => undefined);
        // TypeORM's own error contains all values of the statement, and these may be secrets.
        throw error.driverError;
      } finally {
        await alone.release();
      }
    };
    return Object.assign(runner, {
      query: (text: string, ...more: unknown[]) =>
        // A transaction is undone as a whole, so one statement of it can't be repeated alone.
        runner.isTransactionActive
          ? tracedStatement(text, () => query(text, ...more))
          : runStatement(() => tried(text, more)),
    });
  }
}

export const createDataSource = (url: string): DataSource => new ServiceDataSource(serviceOptions(url));
