import { randomBytes, randomInt } from 'node:crypto';

import fc from 'fast-check';

import { newId } from '#kernel/ids';
import { LedgerRepository } from '#money/billing/ledger/ledger.repository';
import { micro } from '#kernel/money';
import { readSettings } from '../../src/settings';
import { createDataSource } from '#platform/database/data-source';
import { Database } from '#platform/database/database';
import { expectBooksToBalance } from '../support/books';
import { cloneDatabase } from '../support/postgres';
import { IS_NIGHTLY } from '../support/nightly';
import { type Real, commands } from './ledger-commands';
import { LedgerModel, type ModelPayer } from './ledger-model';

const RUNS = IS_NIGHTLY ? 160 : 50;
const LIMIT = 1_500n;

const connect = async (url: string) => {
  const source = await createDataSource(url).initialize();
  return {
    source,
    db: new Database(source, readSettings({ DATABASE_URL: url, SIGNING_SECRET: 'x'.repeat(32) })),
  };
};

describe('the ledger, against a model of it', () => {
  let here: Awaited<ReturnType<typeof connect>>;
  let there: Awaited<ReturnType<typeof connect>>;
  let done = 0;

  beforeAll(async () => {
    const url = await cloneDatabase();
    here = await connect(url);
    there = await connect(url);
  });

  afterAll(async () => {
    for (const { db, source } of [here, there]) {
      await db.onApplicationShutdown();
      await source.destroy();
    }
  });

  const keyOf = async (account: string, limit: bigint | undefined): Promise<string> => {
    const key = newId('key');
    await here.db.rows(
      `insert into api_key (id, account_id, name, hash, prefix, spend_limit_micro) values ($1, $2, 'k', $3, 'lp_', $4)`,
      [key, account, randomBytes(32), limit ?? null],
    );
    return key;
  };

  /** Two wallets, and an account with two keys, one of them with a spend limit. */
  const newPayers = async (): Promise<ModelPayer[]> => {
    const wallets = [0, 1].map(() => `0x${randomBytes(20).toString('hex')}`);
    const owner = newId('acc');
    await here.db.rows(`insert into account (id, email, password_hash) values ($1, $2, 'x')`, [
      owner,
      `${randomBytes(8).toString('hex')}@example.test`,
    ]);
    const credits = { account: `credits:${owner}`, payer: owner };
    return [
      ...wallets.map((wallet) => ({ account: `wallet:${wallet}`, payer: wallet })),
      { ...credits, keyId: await keyOf(owner, undefined) },
      { ...credits, keyId: await keyOf(owner, LIMIT), limit: LIMIT },
    ];
  };

  it('does what the model says, whatever is asked of it in whatever order', async () => {
    const seed = Number(process.env['SEED'] ?? randomInt(2 ** 31));
    process.stdout.write(`ledger-model: SEED=${seed}\n`);

    await fc.assert(
      fc.asyncProperty(commands(), async (all) => {
        const model = new LedgerModel(await newPayers());
        const run = randomBytes(6).toString('hex');
        const real: Real = { ledgers: [new LedgerRepository(here.db), new LedgerRepository(there.db)], run };
        for (const payer of model.payers) {
          model.topUp(payer, 2_000n, `start:${run}:${payer.keyId ?? payer.account}`);
          await real.ledgers[0].topUp(
            payer.account,
            micro(2_000n),
            `start:${run}:${payer.keyId ?? payer.account}`,
          );
        }

        await fc.asyncModelRun(() => ({ model, real }), all);

        done += [...all].length;
        await expectBooksToBalance(here.db);
        for (const payer of model.payers) {
          expect(await real.ledgers[1].balances.of(payer.account)).toBe(model.balanceOf(payer));
        }
      }),
      { seed, numRuns: RUNS, endOnFailure: false },
    );

    process.stdout.write(`ledger-model: ${done} commands\n`);
    expect(done).toBeGreaterThan(1_000);
  });
});
