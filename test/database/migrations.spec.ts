import { DataSource, type QueryRunner } from 'typeorm';

import { migrationOptions } from '#platform/database/data-source';
import { CapturedLog } from '../support/captured-log';
import { cloneDatabase } from '../support/postgres';
import { fillEveryTable } from '../support/rows';

const OURS = `relnamespace = current_schema()::regnamespace and c.relname <> 'migration'`;

/**
 * Everything that a migration makes: columns, constraints, indexes, triggers and functions, as Postgres describes them.
 */
const SCHEMA = `
  select format('column %s.%s %s %s %s', c.relname, a.attname, format_type(a.atttypid, a.atttypmod),
    case when a.attnotnull then 'not null' end, pg_get_expr(d.adbin, d.adrelid)) as made
  from pg_class c join pg_attribute a on a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped
  left join pg_attrdef d on d.adrelid = c.oid and d.adnum = a.attnum where ${OURS} and c.relkind = 'r'
  union all
  select format('constraint %s.%s %s', c.relname, t.conname, replace(pg_get_constraintdef(t.oid), ' NOT VALID', ''))
  from pg_constraint t join pg_class c on c.oid = t.conrelid where ${OURS} and t.contype <> 'n'
  union all
  select pg_get_indexdef(i.indexrelid) from pg_index i join pg_class c on c.oid = i.indrelid where ${OURS}
  union all
  select pg_get_triggerdef(t.oid) from pg_trigger t join pg_class c on c.oid = t.tgrelid where ${OURS} and not t.tgisinternal
  union all
  select pg_get_functiondef(p.oid) from pg_proc p where p.pronamespace = current_schema()::regnamespace
  order by 1`;

/** The class name ends with its time. */
const nameOf = (migration: object): string => migration.constructor.name;

/** Runs each migration alone, as a deployment of the next or the previous version does. */
class Steps {
  private constructor(
    private readonly source: DataSource,
    private readonly runner: QueryRunner,
  ) {}

  static async on(url: string): Promise<Steps> {
    const source = await new DataSource(migrationOptions(url)).initialize();
    return new Steps(source, source.createQueryRunner());
  }

  get names(): readonly string[] {
    return this.source.migrations.map(nameOf).sort((a, b) => (a.slice(-13) < b.slice(-13) ? -1 : 1));
  }

  up(name: string): Promise<void> {
    return this.go(name, 'up');
  }

  down(name: string): Promise<void> {
    return this.go(name, 'down');
  }

  /** Undoes the newest migrations, down to this one. */
  async downTo(name: string): Promise<void> {
    for (const one of this.names.slice(this.names.indexOf(name)).reverse()) await this.down(one);
  }

  query<Row = Record<string, unknown>>(text: string): Promise<Row[]> {
    return this.runner.query(text) as Promise<Row[]>;
  }

  async schema(): Promise<string[]> {
    return (await this.query<{ made: string }>(SCHEMA)).map(({ made }) => made);
  }

  /** The number of rows of each table. */
  async counts(): Promise<Readonly<Record<string, number>>> {
    const tables = await this.query<{ name: string }>(
      `select c.relname as name from pg_class c where ${OURS} and c.relkind = 'r'`,
    );
    const counts: Record<string, number> = {};
    for (const { name } of tables) {
      const [row] = await this.query<{ rows: number }>(`select count(*)::int as rows from ${name}`);
      counts[name] = row?.rows ?? 0;
    }
    return counts;
  }

  async stop(): Promise<void> {
    await this.runner.release();
    await this.source.destroy();
  }

  private async go(name: string, way: 'up' | 'down'): Promise<void> {
    const step = this.source.migrations.find((migration) => nameOf(migration) === name);
    await this.runner.startTransaction();
    try {
      await step![way](this.runner);
      await this.runner.commitTransaction();
    } catch (error) {
      await this.runner.rollbackTransaction();
      throw new Error(`${name} can't go ${way}: ${String(error)}`, { cause: error });
    }
  }
}

describe('migrations', () => {
  let steps: Steps;

  beforeEach(async () => {
    steps = await Steps.on(await cloneDatabase());
  });

  afterEach(() => steps.stop());

  it('go down, up and down again on rows of every table, and each way ends where it should', async () => {
    const before = new Map<string, string[]>();
    for (const name of steps.names.toReversed()) await steps.down(name);
    for (const name of steps.names) {
      before.set(name, await steps.schema());
      await steps.up(name);
    }
    await fillEveryTable(steps);
    expect(Object.entries(await steps.counts()).filter(([, rows]) => rows === 0)).toEqual([]);

    for (const name of steps.names.toReversed()) {
      const [after, full] = [await steps.schema(), await steps.counts()];
      await steps.down(name);
      expect({ name, schema: await steps.schema() }).toEqual({ name, schema: before.get(name) });
      const left = await steps.counts();
      await steps.up(name);
      expect({ name, schema: await steps.schema() }).toEqual({ name, schema: after });
      // A migration does not change what it did not make.
      expect({ name, rows: await steps.counts() }).toMatchObject({ name, rows: left });
      expect({ name, rows: full }).toMatchObject({ name, rows: left });
      await steps.down(name);
    }

    expect(await steps.counts()).toEqual({});
  });

  it('find money that was refused before amounts were kept', async () => {
    await fillEveryTable(steps);
    await steps.downTo('StrayPayments1764000001120');

    await steps.up('StrayPayments1764000001120');

    expect(
      await steps.query(
        'select processor, reference, event_id, top_up_id, account_id, outcome, state from stray_payment',
      ),
    ).toEqual([
      {
        processor: 'sandbox',
        reference: 'ref_2',
        event_id: 'ev_2',
        top_up_id: 'tu_2',
        account_id: 'acc_0123456789',
        outcome: 'wrong_amount',
        state: 'open',
      },
    ]);
  });

  it('let media wait whose charge is open, and remember charges that files name', async () => {
    await fillEveryTable(steps);
    await steps.downTo('PaidMedia1764000001400');

    await steps.up('PaidMedia1764000001400');

    expect(await steps.query('select id, awaits_charge from media order by id')).toEqual([
      { id: 'media_held', awaits_charge: true },
      { id: 'media_paid', awaits_charge: false },
    ]);
    expect(await steps.query('select id from published_charge order by id')).toEqual([
      { id: 'ch_held' },
      { id: 'ch_paid' },
    ]);
  });

  it('forget signatures of payments that are on chain, when nobody watches them any more', async () => {
    await fillEveryTable(steps);

    await steps.downTo('X402Finality1764000000800');

    expect(await steps.query('select charge_id, signature from x402_payment')).toEqual([
      { charge_id: 'ch_x402', signature: null },
    ]);
  });

  it('make every account an organisation of its own, and move nothing', async () => {
    const facts = `
      select a.id, a.email, a.password_hash, a.created_at, a.banned_at, l.balance_micro,
        (select jsonb_agg(k.id order by k.id) from api_key k where k.account_id = a.id and k.enabled) as keys
      from account a left join ledger_account l on l.id = 'credits:' || a.id order by a.id`;
    await fillEveryTable(steps);
    await steps.downTo('Organisations1764000002600');
    const before = await steps.query(facts);

    await steps.up('Organisations1764000002600');
    await steps.query(
      `insert into account (id, email, password_hash) values ('acc_late', 'late@example.com', 'by the version before')`,
    );

    expect(
      await steps.query(facts.replace('order by a.id', `where a.id <> 'acc_late' order by a.id`)),
    ).toEqual(before);
    expect(before).toHaveLength(3);
    expect(
      await steps.query('select organisation_id, account_id, role from member order by organisation_id'),
    ).toEqual(
      ['acc_0123456789', 'acc_9876543210', 'acc_late', 'acc_organisation'].map((id) => ({
        organisation_id: id,
        account_id: id,
        role: 'owner',
      })),
    );
  });

  it('are named in the log if they fail', async () => {
    class Failing1999999999999 {
      up = (): Promise<void> => Promise.reject(new Error('no such thing'));
      down = (): Promise<void> => Promise.resolve();
    }
    const printed = jest.spyOn(console, 'log');
    const log = CapturedLog.start();
    const source = new DataSource({
      ...migrationOptions(await cloneDatabase()),
      migrations: [Failing1999999999999],
    });
    await source.initialize();
    await expect(source.runMigrations({ transaction: 'each' })).rejects.toThrow('no such thing');
    await source.destroy();
    log.release();
    expect(log.errors).toEqual([
      expect.stringContaining('"Failing1999999999999" failed, error: no such thing'),
    ]);
    expect(printed).not.toHaveBeenCalled();
    printed.mockRestore();
  });

  it('keep what the audit says, whichever words it knows', async () => {
    await fillEveryTable(steps);

    await steps.downTo('RefusedOperators1764000001300');

    expect(await steps.query('select action from admin_audit order by seq')).toEqual([
      { action: 'credit' },
      { action: 'refused' },
    ]);
    await steps.up('RefusedOperators1764000001300');
  });
});
