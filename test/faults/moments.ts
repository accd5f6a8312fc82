import { Client } from 'pg';

import { retryConflicts } from '#platform/database/retry-conflicts';
import { expectEventually } from '../support/eventually';

/** A step at which a test can stop a paid call: the tables that the step needs, and the statements that then wait. */
export interface Moment {
  readonly tables: readonly string[];
  readonly statements: readonly string[];
  /** The number of waiting statements. Holds and settlements of the prepaid rails are one statement together. */
  readonly waiting: number;
  readonly after?: Moment;
  /** Whether reading waits as well. */
  readonly evenReaders?: boolean;
}

const HOLDING: Moment = {
  tables: ['ledger_account', 'x402_payment'],
  statements: ['ledger-hold-one', 'ledger-hold-many', 'ledger-reserve', 'x402-claim'],
  waiting: 2,
};
const SETTLING: Moment = {
  tables: ['replay'],
  statements: ['ledger-settle-one', 'ledger-settle', 'ledger-settle-jobs', 'ledger-capture', 'x402-settling'],
  waiting: 2,
};
const TRANSFERRING: Moment = {
  tables: ['sandbox_authorization'],
  statements: ['sandbox-transfer'],
  waiting: 1,
};
const RECORDING: Moment = {
  tables: ['x402_payer'],
  statements: ['x402-charged', 'x402-charged-any'],
  waiting: 1,
  after: TRANSFERRING,
};

/** The sandbox's record of an accepted job represents the memory of a provider. */
const SUBMITTING: Moment = {
  tables: ['sandbox_operation'],
  statements: ['sandbox-operation-open'],
  waiting: 3,
};

/** The provider has accepted the work, and the service is storing that. */
const ACCEPTING: Moment = {
  tables: ['job'],
  statements: ['job-accepted'],
  waiting: 3,
  after: SUBMITTING,
};

/** A call by channel stores its voucher, and later its charge with the channel's total. */
const VOUCHING: Moment = { tables: ['channel_voucher'], statements: ['channel-hold'], waiting: 1 };
const GROWING: Moment = { tables: ['replay'], statements: ['channel-charge'], waiting: 1 };

export const CHANNEL_MOMENTS = { VOUCHING, GROWING } as const;

export const MOMENTS = { HOLDING, SETTLING, TRANSFERRING, RECORDING, SUBMITTING, ACCEPTING } as const;

/** A change of a row that the server shall refuse. */
export interface Change {
  readonly table: string;
  readonly event: 'insert' | 'update';
  /** A condition on `new` and `old`. */
  readonly when?: string;
}

/**
 * A connection of the test to the database. It stops calls at a moment by locking what they need, and breaks things.
 */
export class Hands {
  private constructor(
    private readonly client: Client,
    private readonly url: string,
  ) {}

  static async on(url: string): Promise<Hands> {
    const client = new Client({ connectionString: url });
    client.on('error', () => undefined);
    await client.connect();
    // In a deadlock between the test and the service, Postgres must cancel the service's statement.
    await client.query(`set deadlock_timeout = '1min'`);
    return new Hands(client, url);
  }

  /** Lets calls proceed to the moment and no further. Several moments can be held, one after the other. */
  async hold({ tables, evenReaders = false }: Moment): Promise<void> {
    await this.client.query('begin; savepoint held');
    const mode = evenReaders ? 'access exclusive' : 'exclusive';
    await this.client.query(`lock table ${tables.join(', ')} in ${mode} mode`);
  }

  /**
   * Resolves when all calls wait at the moment. Postgres cancels each statement after a second, and the service repeats
   * it twice.
   */
  async untilReached({ statements, waiting }: Moment, meanwhile?: () => Promise<void>): Promise<void> {
    await expectEventually(async () => {
      await meanwhile?.();
      return (await this.waitingAt(statements)).length >= waiting;
    });
  }

  /** Lets the waiting statements continue and commit, whether or not their client is still connected. */
  async letGo(): Promise<void> {
    await this.client.query('commit'); // This also commits the test's changes.
  }

  /** Does the same for the moment that was held last. */
  async letGoOfLast(): Promise<void> {
    await this.client.query('rollback to savepoint held');
  }

  async untilNobodyWaits({ statements }: Moment): Promise<void> {
    await expectEventually(async () => (await this.waitingAt(statements, 'active')).length === 0);
  }

  /** Cancels the statements that wait at the moment, as if the network had cut them off. */
  async cutOff({ statements }: Moment): Promise<void> {
    for (const pid of await this.waitingAt(statements)) {
      await this.client.query('select pg_terminate_backend($1)', [pid]);
    }
  }

  /** Ends every connection but this one, in the middle of its work. */
  async cutAllConnections(): Promise<this> {
    await this.client.query('select pg_stat_clear_snapshot()');
    await this.client.query(
      `select pg_terminate_backend(pid) from pg_stat_activity
       where datname = current_database() and pid <> pg_backend_pid()`,
    );
    return this;
  }

  /**
   * Makes the server restart with recovery, as Postgres does after one of its processes was killed. This connection
   * dies as well, so the result is a new one.
   */
  async crash(): Promise<Hands> {
    const { rows } = await this.client.query<{ pid: number }>('select pg_backend_pid() as pid');
    const witness = await Hands.on(this.url);
    const restarts = new Promise<void>((resolve) => witness.client.once('end', resolve));
    process.kill(rows[0]!.pid, 'SIGKILL');
    // The server accepts new connections until it notices the crash.
    await restarts;
    await this.client.end().catch(() => undefined);
    let again: Hands | undefined;
    await expectEventually(async () => {
      again = await Hands.on(this.url).catch(() => undefined);
      return again !== undefined;
    });
    return again!;
  }

  /** Lets the next such changes fail with this code, as if the server itself were in trouble. */
  async failNext({ table, event, when }: Change, sqlState: string, times: number): Promise<void> {
    const fault = `fault_at_${table}`;
    await this.client.query(`
      create sequence ${fault};
      create function ${fault}() returns trigger language plpgsql as $$ begin
        if nextval('${fault}') <= ${times} then
          raise exception 'a fault of the test' using errcode = '${sqlState}';
        end if;
        return new;
      end $$;
      create trigger ${fault} before ${event} on ${table} for each row ${when ? `when (${when})` : ''}
        execute function ${fault}()`);
  }

  /** How often the change of `failNext` was tried. With several changes, it is the lowest number. */
  async hits(): Promise<number> {
    return Math.min(...(await this.faults()).map(({ hits }) => hits));
  }

  /** Ends `failNext`, and returns how often the change was tried. */
  async forgive(): Promise<number> {
    const hits = await this.hits();
    for (const { name } of await this.faults()) {
      await this.client.query(`drop function ${name}() cascade; drop sequence ${name}`);
    }
    return hits;
  }

  /** Adds a column to each table and removes it again, like a slow migration of the next version. */
  async migrate(tables: readonly string[]): Promise<void> {
    const alter = (how: string): string => tables.map((table) => `alter table ${table} ${how};`).join(' ');
    await this.client.query(`begin; ${alter('add column odd int default 1')} select pg_sleep(0.4); commit`);
    await this.client.query(`begin; ${alter('drop column odd')} select pg_sleep(0.4); commit`);
  }

  /** Makes the queue refuse every request. */
  async takeQueueAway(): Promise<void> {
    await this.client.query('alter schema bullmq rename to bullmq_away');
  }

  async restoreQueue(): Promise<void> {
    await this.client.query('alter schema bullmq_away rename to bullmq');
  }

  async emptyQueue(): Promise<void> {
    // The service may lock the same tables in another order. Then a deadlock undoes all of this, and it is repeated.
    await retryConflicts(() =>
      this.client.query(`do $$ declare name text; begin
        for name in select tablename from pg_tables where schemaname = 'bullmq' and tablename <> 'migration' loop
          execute format('truncate bullmq.%I cascade', name);
        end loop; end $$`),
    );
  }

  async close(): Promise<void> {
    await this.client.end();
  }

  private async faults(): Promise<readonly { readonly name: string; readonly hits: number }[]> {
    const { rows } = await this.client.query<{ name: string; hits: string }>(
      `select sequencename as name, coalesce(last_value, 0) as hits from pg_sequences
       where sequencename like 'fault\\_at\\_%'`,
    );
    return rows.map(({ name, hits }) => ({ name, hits: Number(hits) }));
  }

  private async waitingAt(statements: readonly string[], how: 'Lock' | 'active' = 'Lock'): Promise<number[]> {
    // Within an open transaction, Postgres keeps showing the activity of its beginning.
    await this.client.query('select pg_stat_clear_snapshot()');
    const { rows } = await this.client.query<{ pid: number }>(
      `select pid from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid()
         and state = 'active' and ($1 = 'active' or wait_event_type = 'Lock') and query like any($2)`,
      [how, statements.map((name) => `/* ${name} */%`)],
    );
    return rows.map(({ pid }) => pid);
  }
}

/** Lets `act` send its calls and stops them at the moment. The caller decides how they continue. */
export const stopAt = async (url: string, moment: Moment, act: () => void): Promise<Hands> => {
  const { after: first = moment } = moment;
  const hands = await Hands.on(url);
  await hands.hold(first);
  act();
  await hands.untilReached(first);
  if (first === moment) {
    return hands;
  }
  // An earlier step may need the same tables. So they are locked only once the calls have passed that step.
  const next = await Hands.on(url);
  await next.hold(moment);
  await hands.letGo();
  await next.untilReached(moment);
  await hands.close();
  return next;
};
