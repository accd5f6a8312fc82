import { setTimeout as pause } from 'node:timers/promises';

import { ConsoleLogger } from '@nestjs/common';
import { Test, type TestingModule } from '@nestjs/testing';
import { Client } from 'pg';
import { DataSource } from 'typeorm';

import { Account } from '#people/accounts/account.entity';
import { SettingsModule } from '#platform/config/settings.module';
import { Database } from '#platform/database/database';
import { DatabaseUnavailable } from '#platform/database/database.errors';
import { DatabaseModule } from '#platform/database/database.module';
import { readSettings } from '../../src/settings';
import { DyingPostgres } from '../support/dying-postgres';
import { expectEventually } from '../support/eventually';
import { cloneDatabase } from '../support/postgres';

describe('a primary that fails over', () => {
  let server: DyingPostgres;
  let module: TestingModule;
  let database: Database;
  let outside: Client;

  beforeAll(async () => {
    const real = await cloneDatabase();
    server = await DyingPostgres.start(real);
    outside = new Client({ connectionString: real });
    await outside.connect();
    const settings = {
      ...readSettings({ SIGNING_SECRET: 'a secret of thirty-two characters' }),
      databaseUrl: server.url,
    };
    module = await Test.createTestingModule({ imports: [SettingsModule.with(settings), DatabaseModule] })
      .setLogger(new ConsoleLogger({ logLevels: [] }))
      .compile();
    await module.init();
    database = module.get(Database);
  });
  afterAll(async () => {
    await module.close();
    await outside.end();
    await server.stop();
  });

  const answersAgain = (): Promise<void> =>
    expectEventually(() =>
      database.ping().then(
        () => true,
        () => false,
      ),
    );

  it.each([
    ['a statement', () => database.rows('select 1 as one')],
    ['a transaction', () => database.transaction((queries) => queries.rows('select 1 as one'))],
    ['a repository of TypeORM', () => module.get(DataSource).getRepository(Account).find()],
  ] as const)('does not end the process when it dies as it accepts the connection of %s', async (_, run) => {
    server.dying = true;
    server.cut();
    const before = server.deaths;

    // The pool may still hold connections that it does not know to be dead, so several statements open new ones.
    const failures = await Promise.all(
      Array.from({ length: 8 }, () => (run() as Promise<unknown>).catch((error: unknown) => error)),
    );

    expect(server.deaths).toBeGreaterThan(before);
    for (const failure of failures) expect(failure).toBeInstanceOf(DatabaseUnavailable);
    await pause(50);
    server.dying = false;
    await answersAgain();
  });

  it('is unavailable, not broken, while it takes no writes, and the next connection is a new one', async () => {
    await database.rows('create table if not exists thing (id int primary key)');
    const name = new URL(server.url).pathname.slice(1);
    await outside.query(`alter database "${name}" set default_transaction_read_only = on`);
    server.cut();
    const write = (): Promise<unknown> =>
      database.rows('insert into thing values (1) on conflict do nothing').catch((error: unknown) => error);

    // Some statements still find the connections that were cut.
    let failure: unknown;
    await expectEventually(async () => {
      failure = await write();
      return failure instanceof Error && (failure.cause as { code?: string }).code === '25006';
    });
    expect(failure).toBeInstanceOf(DatabaseUnavailable);
    expect(failure).toMatchObject({ kind: 'unavailable', extras: { retryAfterSeconds: 1 } });

    await outside.query(`alter database "${name}" reset default_transaction_read_only`);
    await expectEventually(async () => !((await write()) instanceof Error));
  });
});
