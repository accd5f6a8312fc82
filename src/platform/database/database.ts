import { Inject, Injectable, type OnApplicationShutdown } from '@nestjs/common';
import { type Pool, type PoolClient, type QueryConfig, type QueryResultRow } from 'pg';
import { DataSource, type EntityManager, QueryFailedError } from 'typeorm';

import { tracedStatement } from '../telemetry/traces';
import { directUrlOf, isPooled } from './database-url';
import { NotificationListener } from './notification-listener';
import { asUnavailable, runStatement } from './run-statement';
import { isConnectionLost } from './sql-state';
import { SETTINGS } from '../config/settings';
import type { DatabaseSettings } from './database.settings';

/** Runs statements, each alone or all in one transaction. */
export interface Queries {
  /** A named statement is parsed and planned once on each connection. A name always belongs to the same text. */
  rows<Row extends QueryResultRow>(text: string, values?: readonly unknown[], name?: string): Promise<Row[]>;
  /** The first row, or undefined. */
  one<Row extends QueryResultRow>(
    text: string,
    values?: readonly unknown[],
    name?: string,
  ): Promise<Row | undefined>;
}

const query = async <Row extends QueryResultRow>(
  { client, isOurs, answerMsMax }: Session,
  text: string,
  values: readonly unknown[],
  name: string | undefined,
): Promise<Row[]> => {
  const sent = name ? commented(name, text) : text;
  // The types of the driver lack `query_timeout`, which replaces the one of the connection.
  const statement: QueryConfig & { readonly query_timeout?: number } = {
    text: sent,
    values: [...values],
    // Behind a pooler, the next transaction's session may not have the prepared statement, so statements have no name
    // there.
    name: isOurs ? name : undefined,
    query_timeout: answerMsMax,
  };
  const { rows } = await tracedStatement(sent, () => client.query<Row>(statement));
  return rows;
};

interface Session {
  readonly client: PoolClient;
  /** False behind a pooler, because the next statement may run in another session. */
  readonly isOurs: boolean;
  /** The time for which the driver waits for an answer; that of the connection if absent. */
  readonly answerMsMax?: number;
}

/** The driver waits for so long after the server's own limit, because its error would cost the connection. */
const ANSWER_LATE_MS = 5_000;

const commentedTexts = new Map<string, { readonly text: string; readonly commented: string }>();

/**
 * Writes the name into the statement's text, so that the server shows it. Each text is built once, because the driver
 * compares the texts at each use.
 */
const commented = (name: string, text: string): string => {
  const known = commentedTexts.get(name) ?? { text, commented: `/* ${name} */ ${text}` };
  if (known.text !== text) throw new Error(`Two statements are named ${name}.`);
  commentedTexts.set(name, known);
  return known.commented;
};

class TransactionQueries implements Queries {
  constructor(private readonly session: Session) {}

  rows<Row extends QueryResultRow>(
    text: string,
    values: readonly unknown[] = [],
    name?: string,
  ): Promise<Row[]> {
    return query<Row>(this.session, text, values, name);
  }

  async one<Row extends QueryResultRow>(
    text: string,
    values: readonly unknown[] = [],
    name?: string,
  ): Promise<Row | undefined> {
    return (await this.rows<Row>(text, values, name))[0];
  }
}

/** SQL on the service's own pool. Lost connections become `DatabaseUnavailable` and never end the process. */
@Injectable()
export class Database implements Queries, OnApplicationShutdown {
  private readonly listener: NotificationListener;
  private readonly isOurs: boolean;

  constructor(
    private readonly source: DataSource,
    @Inject(SETTINGS) settings: DatabaseSettings,
  ) {
    this.listener = new NotificationListener(directUrlOf(settings));
    this.isOurs = !isPooled(settings);
  }

  /** Runs one statement alone, and repeats it if Postgres rolled it back because of a conflict. */
  rows<Row extends QueryResultRow>(
    text: string,
    values: readonly unknown[] = [],
    name?: string,
  ): Promise<Row[]> {
    return runStatement(() => this.withSession((session) => query<Row>(session, text, values, name)));
  }

  async one<Row extends QueryResultRow>(
    text: string,
    values: readonly unknown[] = [],
    name?: string,
  ): Promise<Row | undefined> {
    return (await this.rows<Row>(text, values, name))[0];
  }

  /**
   * Runs all of `work` or nothing. `work` may run up to three times, so it must contain only SQL. A network call in it
   * would hold locks for an unknown time.
   */
  transaction<T>(work: (queries: Queries) => Promise<T>): Promise<T> {
    return this.inOneSession(work);
  }

  /** A transaction whose statements may take longer than those of calls. */
  longTransaction<T>(seconds: number, work: (queries: Queries) => Promise<T>): Promise<T> {
    return this.inOneSession(
      async (queries) => {
        await queries.rows(`set local statement_timeout = '${seconds}s'`);
        return work(queries);
      },
      seconds * 1_000 + ANSWER_LATE_MS,
    );
  }

  /** One statement that may take longer than those of calls, such as a report. */
  longRows<Row extends QueryResultRow>(
    seconds: number,
    text: string,
    values: readonly unknown[],
    name?: string,
  ): Promise<Row[]> {
    return this.longTransaction(seconds, (queries) => queries.rows<Row>(text, values, name));
  }

  /**
   * The first row of one statement inside a transaction of TypeORM, which later commits it or rolls it back. The
   * savepoint keeps that transaction usable if Postgres refuses the row. Without a transaction, the statement runs
   * alone.
   */
  async oneWithin<Row extends QueryResultRow>(
    manager: EntityManager,
    text: string,
    values: readonly unknown[],
  ): Promise<Row | undefined> {
    try {
      const rows = await manager.transaction((inner) => inner.query<Row[]>(text, [...values]));
      return rows[0];
    } catch (error) {
      // TypeORM's own error contains all values of the statement, so only the driver's error is passed on.
      throw asUnavailable(error instanceof QueryFailedError ? error.driverError : error);
    }
  }

  /**
   * Subscribes to `channel`; the returned function unsubscribes. `onGap` is called when notifications may have been
   * missed.
   */
  listen(
    channel: string,
    onNotice: (payload: string) => void,
    onGap?: () => void,
  ): Promise<() => Promise<void>> {
    return this.listener.listen({ channel, onNotice, onGap });
  }

  async notify(channel: string, payload: string): Promise<void> {
    await this.rows('select pg_notify($1, $2)', [channel, payload], 'notify');
  }

  async ping(): Promise<void> {
    await this.rows('select 1');
  }

  async onApplicationShutdown(): Promise<void> {
    await this.listener.close();
  }

  private inOneSession<T>(work: (queries: Queries) => Promise<T>, answerMsMax?: number): Promise<T> {
    return runStatement(() =>
      this.withSession((session) => inTransaction({ ...session, answerMsMax }, work)),
    );
  }

  /** The pool is read each time, because TypeORM creates a new pool when it reconnects. */
  private get pool(): Pool {
    return (this.source.driver as unknown as { readonly master: Pool }).master;
  }

  private async withSession<T>(work: (session: Session) => Promise<T>): Promise<T> {
    const client = await this.pool.connect();
    // The pool does not listen to a connection in use. An unhandled error event would end the process.
    let lost: Error | undefined;
    const onError = (error: Error): void => {
      lost = error;
    };
    client.on('error', onError);
    try {
      return await work({ client, isOurs: this.isOurs });
    } catch (error) {
      // The pool's own `query` drops the connection after each error. Here a connection stays after a refused row.
      if (isConnectionLost(error)) lost ??= error as Error;
      throw error;
    } finally {
      client.removeListener('error', onError);
      client.release(lost);
    }
  }
}

const inTransaction = async <T>(session: Session, work: (queries: Queries) => Promise<T>): Promise<T> => {
  const { client } = session;
  const send = (text: string): Promise<unknown> => tracedStatement(text, () => client.query(text));
  await send('begin');
  try {
    const result = await work(new TransactionQueries(session));
    await send('commit');
    return result;
  } catch (error) {
    // A lost connection is dropped, and the server rolls back its open transaction.
    if (!isConnectionLost(error)) await send('rollback').catch(() => undefined);
    throw error;
  }
};
