import { randomBytes } from 'node:crypto';

import { ChargeRepository } from '#money/billing/charges/charge.repository';
import { LedgerRepository } from '#money/billing/ledger/ledger.repository';
import { newId } from '#kernel/ids';
import { micro } from '#kernel/money';
import { readSettings } from '../../src/settings';
import { createDataSource } from '#platform/database/data-source';
import { Database } from '#platform/database/database';
import { expectBooksToBalance } from '../support/books';
import { cloneDatabase } from '../support/postgres';

const TEN_MINUTES_MS = 600_000;
/** Only the date is changed. Timers run at their usual speed. */
const TIMERS = [
  'hrtime',
  'nextTick',
  'performance',
  'queueMicrotask',
  'setImmediate',
  'clearImmediate',
  'setInterval',
  'clearInterval',
  'setTimeout',
  'clearTimeout',
] as const;

describe('a process whose clock is wrong', () => {
  let db: Database;
  let close: () => Promise<void>;
  let ledger: LedgerRepository;
  let charges: ChargeRepository;

  beforeAll(async () => {
    const url = await cloneDatabase();
    const source = await createDataSource(url).initialize();
    db = new Database(source, readSettings({ DATABASE_URL: url, SIGNING_SECRET: 'x'.repeat(32) }));
    ledger = new LedgerRepository(db);
    charges = new ChargeRepository(db);
    close = async () => {
      await db.onApplicationShutdown();
      await source.destroy();
    };
  });

  afterEach(() => {
    jest.useRealTimers();
    return expectBooksToBalance(db);
  });

  afterAll(() => close());

  const setClock = (aheadMs: number): void => {
    jest.useFakeTimers({ now: Date.now() + aheadMs, doNotFake: [...TIMERS] });
  };

  const hold = async (): Promise<string> => {
    const payer = `0x${randomBytes(20).toString('hex')}`;
    const account = `wallet:${payer}`;
    await ledger.topUp(account, micro(1_000n), `test:${payer}`);
    const id = newId('ch');
    const price = micro(100n);
    const terms = { price, list: price, discountPercent: 0, fingerprint: randomBytes(32) };
    await ledger.hold({ id, rail: 'wallet', operation: 'chat', payer, accountId: account, ...terms });
    return id;
  };
  const secondsLeft = async (id: string): Promise<number> => {
    const row = await db.one<{ seconds: number }>(
      'select extract(epoch from lease_until - now())::float8 as seconds from charge where id = $1',
      [id],
    );
    return row?.seconds ?? 0;
  };

  it.each([
    ['ahead', TEN_MINUTES_MS],
    ['behind', -TEN_MINUTES_MS],
  ])('%s gives and renews leases of thirty seconds, and takes none that runs', async (_, aheadMs) => {
    setClock(aheadMs);

    const id = await hold();
    const given = await secondsLeft(id);
    await charges.renewLeases([id]);
    const renewed = await secondsLeft(id);
    const taken = await charges.takeAbandoned(10);

    expect([given, renewed].every((seconds) => seconds > 20 && seconds <= 30)).toBe(true);
    expect(taken).toEqual([]);
    await ledger.release(id);
  });

  it('behind still takes over what was abandoned', async () => {
    setClock(-TEN_MINUTES_MS);
    const id = await hold();
    await db.rows(`update charge set lease_until = now() - interval '1 second' where id = $1`, [id]);

    const taken = await charges.takeAbandoned(10);

    expect(taken.map((charge) => charge.id)).toEqual([id]);
    await ledger.release(id);
  });
});
