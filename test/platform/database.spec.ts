import { Socket } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';

import { ConsoleLogger } from '@nestjs/common';
import { Test, type TestingModule } from '@nestjs/testing';
import { Client } from 'pg';
import { DataSource, type Repository } from 'typeorm';

import { Account } from '#people/accounts/account.entity';
import { readSettings } from '../../src/settings';
import { SettingsModule } from '#platform/config/settings.module';
import { Database } from '#platform/database/database';
import { DatabaseModule } from '#platform/database/database.module';
import { DatabaseUnavailable } from '#platform/database/database.errors';
import { missingLimits } from '#platform/database/pooler-limits';
import { openDatabase } from '#platform/database/open-database';
import { retryConflicts } from '#platform/database/retry-conflicts';
import { sqlStateOf } from '#platform/database/error-fields';
import { SqlState } from '#platform/database/sql-state';
import { expectEventually } from '../support/eventually';
import { cloneDatabase } from '../support/postgres';

describe('the database', () => {
  let url: string;
  let module: TestingModule;
  let database: Database;
  let outside: Client;

  beforeAll(async () => {
    url = await cloneDatabase();
    outside = new Client({ connectionString: url });
    await outside.connect();
    module = await Test.createTestingModule({
      imports: [
        SettingsModule.with({
          ...readSettings({ SIGNING_SECRET: 'a secret of thirty-two characters' }),
          databaseUrl: url,
        }),
        DatabaseModule,
      ],
    })
      .setLogger(new ConsoleLogger({ logLevels: [] }))
      .compile();
    await module.init();
    database = module.get(Database);
    await database.rows('create table thing (id int primary key, name text)');
  });

  afterAll(async () => {
    await module.close();
    await outside.end();
  });

  /** Ends the connections of the service, like a failover. */
  const killConnections = (like: string): Promise<unknown> =>
    outside.query(
      `select pg_terminate_backend(pid) from pg_stat_activity
       where datname = current_database() and pid <> pg_backend_pid() and application_name like $1`,
      [like],
    );

  it('answers rows, one row, and nothing', async () => {
    await database.rows('insert into thing values ($1, $2)', [1, 'lamp']);

    expect(await database.rows('select * from thing', [], 'all-things')).toEqual([{ id: 1, name: 'lamp' }]);
    expect(await database.rows('select * from thing', [], 'all-things')).toEqual([{ id: 1, name: 'lamp' }]);
    expect(await database.one('select name from thing where id = $1', [1])).toEqual({ name: 'lamp' });
    expect(await database.one('select name from thing where id = $1', [2])).toBeUndefined();
  });

  it('shows the server the names of its statements', async () => {
    const shown = `select query from pg_stat_activity where pid = pg_backend_pid()`;

    expect(await database.one(shown, [], 'look-at-us')).toEqual({ query: `/* look-at-us */ ${shown}` });
  });

  it('gives a name to one statement only', async () => {
    await database.rows('select 1 as one', [], 'one-name');

    await expect(database.rows('select 2 as two', [], 'one-name')).rejects.toThrow('one-name');
  });

  it('waits longer for the answer to a long statement than the server lets it run', async () => {
    const sent = jest.spyOn(Client.prototype, 'query');

    await database.longRows(30, 'select 30', []);

    const [asked] = sent.mock.calls.map(([statement]) => statement as unknown as { text: string }).slice(-2);
    expect(asked).toMatchObject({ text: 'select 30', query_timeout: 35_000 });
    expect(await database.one('show statement_timeout')).toEqual({ statement_timeout: '1500ms' });
    sent.mockRestore();
  });

  it('probes idle connections, before anything between it and the server forgets them', async () => {
    await killConnections('lamppost');
    const probed = jest.spyOn(Socket.prototype, 'setKeepAlive');

    await expectEventually(async () => (await database.one<{ one: number }>('select 1 as one'))?.one === 1);

    expect(probed.mock.calls).toContainEqual([true, 10_000]);
    probed.mockRestore();
  });

  describe('through a repository of TypeORM', () => {
    const account = { id: 'acc_0123456789', email: 'ann@example.com', passwordHash: 'a secret hash' };
    let accounts: Repository<Account>;

    beforeAll(async () => {
      accounts = module.get(DataSource).getRepository(Account);
      await accounts.insert(account);
    });

    it('says what the database said, and none of the values', async () => {
      const error: unknown = await accounts.insert({ ...account }).catch((reason: unknown) => reason);

      expect(error).toMatchObject({ code: SqlState.uniqueViolation, constraint: 'PK_account' });
      expect(JSON.stringify(error)).not.toContain('secret');
    });

    it('shows the server what it does, and repeats what was undone', async () => {
      await outside.query('begin; lock table account');
      const found = accounts.findOneBy({ id: account.id });
      const waits = `select pid from pg_stat_activity where query like '/* account-select */%' and wait_event_type = 'Lock'`;
      await expectEventually(async () => {
        await outside.query('select pg_stat_clear_snapshot()');
        return (await outside.query(waits)).rowCount === 1;
      });
      await pause(1_100); // Longer than the lock timeout of a statement.
      await outside.query('commit');

      expect(await found).toMatchObject({ email: account.email });
    });

    it('says that it is unavailable when a connection dies under it', async () => {
      await outside.query('begin; lock table account');
      const found = accounts.findOneBy({ id: account.id }).catch((reason: unknown) => reason);
      await expectEventually(async () => {
        await outside.query('select pg_stat_clear_snapshot()');
        const { rows } = await outside.query<{ killed: boolean }>(
          `select pg_terminate_backend(pid) as killed from pg_stat_activity
           where query like '/* account-select */%' and wait_event_type = 'Lock'`,
        );
        return rows.length === 1;
      });
      await outside.query('commit');

      expect(await found).toBeInstanceOf(DatabaseUnavailable);
    });
  });

  it('keeps the connection when a row is refused', async () => {
    const backend = 'select pg_backend_pid() as pid';
    const before = await database.one(backend);

    const refused = database.rows('insert into thing values (1, null)');

    await expect(refused).rejects.toMatchObject({ code: SqlState.uniqueViolation });
    expect(await database.one(backend)).toEqual(before);
  });

  it('commits all of a transaction or none of it', async () => {
    await database.transaction(async (queries) => {
      await queries.rows('insert into thing values (10, $1)', ['kept']);
      await queries.rows('insert into thing values (11, $1)', ['kept']);
    });
    const failing = database.transaction(async (queries) => {
      await queries.rows('insert into thing values (12, $1)', ['lost']);
      throw new Error('changed my mind');
    });

    await expect(failing).rejects.toThrow('changed my mind');
    expect(await database.rows('select id from thing where id >= 10')).toEqual([{ id: 10 }, { id: 11 }]);
  });

  it('outlives idle connections that die', async () => {
    const before = await database.one('select pg_backend_pid() as pid');

    await killConnections('lamppost%');

    await expectEventually(() =>
      database.ping().then(
        () => true,
        () => false,
      ),
    );
    expect(await database.one('select pg_backend_pid() as pid')).not.toEqual(before);
  });

  it('says that it is unavailable when a connection dies under a statement', async () => {
    const statement = database.rows('select pg_sleep(1)');
    await expectEventually(async () => {
      const { rowCount } = await outside.query(
        `select from pg_stat_activity where query = 'select pg_sleep(1)'`,
      );
      return rowCount === 1;
    });

    await killConnections('lamppost');

    const error: unknown = await statement.catch((reason: unknown) => reason);
    expect(error).toBeInstanceOf(DatabaseUnavailable);
    expect(error).toMatchObject({ kind: 'unavailable', code: 'INTERNAL', extras: { retryAfterSeconds: 1 } });
    await expectEventually(() =>
      database.ping().then(
        () => true,
        () => false,
      ),
    );
  });

  it('says that it is unavailable when a connection dies in a transaction', async () => {
    const transaction = database.transaction(async (queries) => {
      await queries.rows('insert into thing values (20, null)');
      await killConnections('lamppost');
      await queries.rows('select 1');
    });

    await expect(transaction).rejects.toBeInstanceOf(DatabaseUnavailable);
    expect(await database.one('select id from thing where id = 20')).toBeUndefined();
  });

  it('ends a statement that hangs, instead of holding the caller', async () => {
    await expect(database.rows('select pg_sleep(5)')).rejects.toBeInstanceOf(DatabaseUnavailable);
  });

  it('repeats a transaction that a deadlock has undone', async () => {
    let attempts = 0;
    let arrived = 0;
    const lockBoth = (first: number, second: number): Promise<void> =>
      database.transaction(async (queries) => {
        attempts += 1;
        await queries.rows('update thing set name = name where id = $1', [first]);
        arrived += 1;
        if (attempts <= 2) await expectEventually(() => arrived >= 2);
        await queries.rows('update thing set name = name where id = $1', [second]);
      });

    await database.rows(
      `insert into thing (id, name) values (10, 'ten'), (11, 'eleven') on conflict do nothing`,
    );

    await Promise.all([lockBoth(10, 11), lockBoth(11, 10)]);

    expect(attempts).toBe(3);
  });

  it('gives up after three tries, and at once on what will not change', async () => {
    const failing = (code: string) => {
      const calls: string[] = [];
      const work = retryConflicts(() => {
        calls.push(code);
        return Promise.reject(Object.assign(new Error('no'), { code }));
      });
      return work.catch((error: unknown) => [sqlStateOf(error), calls.length]);
    };

    expect(await failing('40001')).toEqual(['40001', 3]);
    expect(await failing('40P01')).toEqual(['40P01', 3]);
    expect(await failing('55P03')).toEqual(['55P03', 3]);
    expect(await failing('23505')).toEqual(['23505', 1]);
  });

  it('receives notices, also after its connection was lost', async () => {
    const received: string[] = [];
    let gaps = 0;
    const stop = await database.listen(
      'Door bell',
      (payload) => received.push(payload),
      () => (gaps += 1),
    );
    await database.notify('Door bell', 'one');
    await expectEventually(() => received.length === 1);

    await killConnections('lamppost listener');
    await expectEventually(() => gaps === 1);
    await database.notify('Door bell', 'two');

    await expectEventually(() => received.length === 2);
    expect(received).toEqual(['one', 'two']);
    await stop();
    await database.notify('Door bell', 'three');
    await database.ping();
    expect(received).toEqual(['one', 'two']);
  });
});

describe('a database behind a pooler', () => {
  it('is asked nothing that a session would have to remember', async () => {
    const url = await cloneDatabase();
    const settings = {
      ...readSettings({ SIGNING_SECRET: 'a secret of thirty-two characters' }),
      databaseUrl: url,
    };
    const module = await Test.createTestingModule({
      imports: [SettingsModule.with({ ...settings, databaseDirectUrl: url }), DatabaseModule],
    })
      .setLogger(new ConsoleLogger({ logLevels: [] }))
      .compile();
    await module.init();
    const database = module.get(Database);

    await database.rows('select $1::int as one', [1], 'named');
    await database.transaction((queries) => queries.rows('select $1::int as two', [2], 'named-too'));

    expect(await database.rows('select name from pg_prepared_statements')).toEqual([]);
    expect(await database.one('show statement_timeout')).toEqual({ statement_timeout: '0' });
    expect(await missingLimits(database)).toMatch(/without statement_timeout, lock_timeout, idle_in/);
    await module.close();
  });
});

describe('opening a database by its address', () => {
  const dataDir = '.data';

  it('uses the one that is named', async () => {
    const url = await cloneDatabase();

    const opened = await openDatabase({ databaseUrl: url, dataDir });

    expect(opened).toMatchObject({ url, embedded: false });
    await opened.stop();
  });

  it.each([
    ['a wrong password', (url: URL) => (url.password = 'hunter2-secret'), /refuses the user or the password/],
    [
      'a database that is not there',
      (url: URL) => (url.pathname = '/nowhere'),
      /has no database of that name/,
    ],
  ])('fails at once on %s', async (_, spoil, expected) => {
    const url = new URL(await cloneDatabase());
    const { password } = url;
    spoil(url);

    const error = await openDatabase({ databaseUrl: url.href, dataDir }).catch((reason: Error) => reason);

    expect(error).toMatchObject({ name: 'DatabaseStartError', message: expect.stringMatching(expected) });
    expect(inspected(error)).not.toMatch(/hunter2/);
    expect(inspected(error)).not.toContain(password);
  });

  it('never shows the password of an address that cannot be read', async () => {
    const opening = openDatabase({ databaseUrl: 'postgres://lp:hunter2#/%@[half/x', dataDir });

    const error = await opening.catch((reason: Error) => reason);

    expect(error).toMatchObject({ name: 'DatabaseStartError' });
    expect(inspected(error)).not.toMatch(/hunter2/);
  });
});

const inspected = (error: unknown): string =>
  `${String(error)} ${JSON.stringify(error, Object.getOwnPropertyNames(error))}`;

it('opens no more connections than DATABASE_CONNECTIONS allows', async () => {
  const databaseUrl = await cloneDatabase();
  const settings = readSettings({
    SIGNING_SECRET: 'a secret of thirty-two characters',
    DATABASE_CONNECTIONS: '3',
  });
  const module = await Test.createTestingModule({
    imports: [SettingsModule.with({ ...settings, databaseUrl }), DatabaseModule],
  })
    .setLogger(new ConsoleLogger({ logLevels: [] }))
    .compile();
  await module.init();
  const database = module.get(Database);

  await Promise.all(Array.from({ length: 12 }, () => database.rows('select pg_sleep(0.05)')));

  const [found] = await database.rows<{ open: number }>(
    `select count(*)::int as open from pg_stat_activity
     where datname = current_database() and application_name = 'lamppost'`,
  );
  expect(found).toEqual({ open: 3 });
  await module.close();
});
