import { firstIdAt } from '#kernel/ids';
import type { Database } from '#platform/database/database';
import { ReconciliationRepository } from '#money/billing/sweeps/reconciliation.repository';
import { CHAT_URL } from '../contract/rail-callers';
import { KeyCaller } from '../support/caller';
import { World } from '../support/world';

const MINUTE_MS = 60_000;
const PART = 200;
const CHARGES = 4_000;

describe('the charges of an hour, compared in parts', () => {
  let world: World;

  beforeAll(async () => {
    world = await World.start();
    const { key } = await KeyCaller.register(world, 1_000_000n);
    const body = { messages: [{ role: 'user', content: 'hi' }], max_tokens: 16 };
    expect((await world.post(CHAT_URL, body, { 'x-api-key': key })).status).toBe(200);
  });
  afterAll(() => world.stop());

  /** Copies of the first charge and of its ledger entry, with ids of this time. */
  const copyCharges = (count: number, minutesAgo: number): Promise<unknown> =>
    world.db.transaction(async (queries) => {
      const values = [firstIdAt('ch', Date.now() - minutesAgo * MINUTE_MS), count, minutesAgo];
      const copies = `from generate_series(1, $2::int) number, (select * from charge order by created_at desc limit 1) c`;
      const time = `now() - $3::float8 * interval '1 minute'`;
      await queries.rows('set local session_replication_role = replica');
      await queries.rows(
        `insert into ledger_entry (account_id, seq, kind, amount_micro, balance_after_micro, charge_id, created_at)
         select account_id, (select max(seq) from ledger_entry) + number, 'debit', price_micro, 0, $1 || md5(number::text), ${time} ${copies}`,
        values,
      );
      await queries.rows(
        `insert into charge (id, rail, operation, payer, account_id, state, price_micro, list_micro, fingerprint,
           created_at, settled_at)
         select $1 || md5(number::text), rail, operation, payer, account_id, state, price_micro, list_micro, fingerprint,
           ${time}, ${time} ${copies}`,
        values,
      );
    });

  type Statements = Parameters<Database['longTransaction']>[1];

  /** Compares the charges, with something around the statements of each part. */
  const compare = (around: (statements: Statements) => Statements): Promise<bigint> => {
    const db: Pick<Database, 'one' | 'longTransaction'> = {
      one: (...statement) => world.db.one(...statement),
      longTransaction: (seconds, statements) =>
        world.db.longTransaction(seconds, around(statements)) as ReturnType<typeof statements>,
    };
    return new ReconciliationRepository(db as Database).chargesAgainstEntries({ part: PART });
  };

  it('are each read once, although Postgres expects none of them', async () => {
    await copyCharges(CHARGES, 1_440);
    await world.db.rows('analyze charge');
    await copyCharges(CHARGES, 10);
    const reads: number[] = [];

    const drift = await compare((statements) => async (queries) => {
      const rowsRead = async (): Promise<number> =>
        (await queries.one<{ rows: number }>(
          `select (seq_tup_read + idx_tup_fetch)::int as rows from pg_stat_xact_user_tables where relname = 'charge'`,
        ))!.rows;
      const before = await rowsRead();
      const result = await statements(queries);
      reads.push((await rowsRead()) - before);
      return result;
    });

    expect(drift).toBe(0n);
    expect(reads.length).toBe(CHARGES / PART + 1); // The last part has the call's own charge.
    expect(Math.max(...reads)).toBeLessThan(1.1 * PART);
  });

  it('are those of the beginning, although a new part comes behind each', async () => {
    let parts = 0;

    const drift = await compare((statements) => async (queries) => {
      parts += 1;
      if (parts < 50) await copyCharges(PART, -parts / 100);
      return statements(queries);
    });

    expect(drift).toBe(0n);
    expect(parts).toBe(CHARGES / PART + 1);
  });
});
