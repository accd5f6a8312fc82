import { Client } from 'pg';

import { retryConflicts } from '../../src/platform/database/retry-conflicts';
import { expectEventually } from '../support/eventually';

/** A step of a paid call that a test can stop it at: what it then waits for, and the names of what waits. */
export interface Moment {
  readonly tables: readonly string[];
  readonly statements: readonly string[];
  /** How many statements wait: holds and settlements of the prepaid rails go together. */
  readonly waiting: number;
  readonly after?: Moment;
  /** Reading waits, too. */
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

/** The sandbox's record of an accepted job stands for what a provider keeps. */
const SUBMITTING: Moment = {
  tables: ['sandbox_operation'],
  statements: ['sandbox-operation-open'],
  waiting: 3,
};

/** The provider has taken the work, and that is being written down. */
const ACCEPTING: Moment = {
  tables: ['job'],
  statements: ['job-accepted'],
  waiting: 3,
  after: SUBMITTING,
};

/** A call by channel: its voucher is stored, and later its charge with the channel's total. */
const VOUCHING: Moment = { tables: ['channel_voucher'], statements: ['channel-hold'], waiting: 1 };
const GROWING: Moment = { tables: ['replay'], statements: ['channel-charge'], waiting: 1 };

export const CHANNEL_MOMENTS = { VOUCHING, GROWING } as const;

export const MOMENTS = { HOLDING, SETTLING, TRANSFERRING, RECORDING, SUBMITTING, ACCEPTING } as const;

/** A change of a row at which a test lets the server fail. */
export interface Change {
  readonly table: string;
  readonly event: 'insert' | 'update';
  /** In words of `new` and `old`. */
  readonly when?: string;
}

/** A second pair of hands on the database: stops calls at a moment by holding what they need, and breaks things. */
export class Hands {
  private constructor(
    private readonly client: Client,
    private readonly url: string,
  ) {}

  static async on(url: string): Promise<Hands> {
    const client = new Client({ connectionString: url });
    client.on('error', () => undefined);
    await client.connect();
    // Where we and the service wait for each other, it is the service that must give way.
    await client.query(`set deadlock_timeout = '1min'`);
    return new Hands(client, url);
  }

  /** From now on calls get as far as the moment and no further. Several can be held, one after the other. */
  async hold({ tables, evenReaders = false }: Moment): Promise<void> {
    await this.client.query('begin; savepoint held');
    const mode = evenReaders ? 'access exclusive' : 'exclusive';
    await this.client.query(`lock table ${tables.join(', ')} in ${mode} mode`);
  }

  /**
   * Resolves when all calls wait at the moment. None waits for long: after a second it is undone and tried again, and
   * after three times it is given up, until somebody comes again.
   */
  async untilReached({ statements, waiting }: Moment, meanwhile?: () => Promise<void>): Promise<void> {
    await expectEventually(async () => {
      await meanwhile?.();
      return (await this.waitingAt(statements)).length >= waiting;
    });
  }

  /** Those who wait go on, and commit what they wrote, whether or not anybody still listens. */
  async letGo(): Promise<void> {
    await this.client.query('commit'); // With what was broken meanwhile.
  }

  /** The same for those at the moment that was held last. */
  async letGoOfLast(): Promise<void> {
    await this.client.query('rollback to savepoint held');
  }

  async untilNobodyWaits({ statements }: Moment): Promise<void> {
    await expectEventually(async () => (await this.waitingAt(statements, 'active')).length === 0);
  }

  /** Undoes what waits at the moment, as when the network cuts the statement off. */
  async cutOff({ statements }: Moment): Promise<void> {
    for (const pid of await this.waitingAt(statements)) {
      await this.client.query('select pg_terminate_backend($1)', [pid]);
    }
  }

  /** Every connection but ours is gone, in the middle of whatever it did. */
  async cutAllConnections(): Promise<this> {
    await this.client.query('select pg_stat_clear_snapshot()');
    await this.client.query(
      `select pg_terminate_backend(pid) from pg_stat_activity
       where datname = current_database() and pid <> pg_backend_pid()`,
    );
    return this;
  }

  /**
   * The server restarts at once, with recovery, as Postgres does when one of its processes is killed. This connection
   * dies with all others, so the hands that are given back are new.
   */
  async crash(): Promise<Hands> {
    const { rows } = await this.client.query<{ pid: number }>('select pg_backend_pid() as pid');
    const witness = await Hands.on(this.url);
    const restarts = new Promise<void>((resolve) => witness.client.once('end', resolve));
    process.kill(rows[0]!.pid, 'SIGKILL');
    // Until the server has noticed, it still lets new connections in.
    await restarts;
    await this.client.end().catch(() => undefined);
    let again: Hands | undefined;
    await expectEventually(async () => {
      again = await Hands.on(this.url).catch(() => undefined);
      return again !== undefined;
    });
    return again!;
  }

  /** The next such changes fail, as they do when the server itself has trouble: with its own code. */
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

  /** How often the change of `failNext` was tried; of several, the one that was tried least. */
  async hits(): Promise<number> {
    return Math.min(...(await this.faults()).map(({ hits }) => hits));
  }

  /** Ends `failNext`, and answers how often the change was tried. */
  async forgive(): Promise<number> {
    const hits = await this.hits();
    for (const { name } of await this.faults()) {
      await this.client.query(`drop function ${name}() cascade; drop sequence ${name}`);
    }
    return hits;
  }

  /** Tables get another column and lose it again, as in a migration of the next version, which takes a while. */
  async migrate(tables: readonly string[]): Promise<void> {
    const alter = (how: string): string => tables.map((table) => `alter table ${table} ${how};`).join(' ');
    await this.client.query(`begin; ${alter('add column odd int default 1')} select pg_sleep(0.4); commit`);
    await this.client.query(`begin; ${alter('drop column odd')} select pg_sleep(0.4); commit`);
  }

  /** Each request to the queue is refused. */
  async takeQueueAway(): Promise<void> {
    await this.client.query('alter schema bullmq rename to bullmq_away');
  }

  async bringQueueBack(): Promise<void> {
    await this.client.query('alter schema bullmq_away rename to bullmq');
  }

  async emptyQueue(): Promise<void> {
    // Those who use it meanwhile take its tables in an order of their own: a deadlock undoes all of this.
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
    // Within a transaction, and ours holds one open, Postgres goes on showing the activity of its beginning.
    await this.client.query('select pg_stat_clear_snapshot()');
    const { rows } = await this.client.query<{ pid: number }>(
      `select pid from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid()
         and state = 'active' and ($1 = 'active' or wait_event_type = 'Lock') and query like any($2)`,
      [how, statements.map((name) => `/* ${name} */%`)],
    );
    return rows.map(({ pid }) => pid);
  }
}

/** Lets `act` send its calls and stops them at the moment; whoever gets the hands decides how it goes on. */
export const stopAt = async (url: string, moment: Moment, act: () => void): Promise<Hands> => {
  const { after: first = moment } = moment;
  const hands = await Hands.on(url);
  await hands.hold(first);
  act();
  await hands.untilReached(first);
  if (first === moment) {
    return hands;
  }
  // What the moment needs is needed earlier too, so it can only be taken once the calls have come that far.
  const next = await Hands.on(url);
  await next.hold(moment);
  await hands.letGo();
  await next.untilReached(moment);
  await hands.close();
  return next;
};
