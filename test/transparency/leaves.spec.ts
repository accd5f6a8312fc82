import { AccountFunds } from '#money/billing/ledger/account-funds';
import { micro } from '#kernel/money';
import { Database } from '#platform/database/database';
import { commitmentOf, textOf } from '#money/billing/transparency/log-entry';
import { leafHash } from '#money/billing/transparency/merkle-tree';
import type { TransparencyLog } from '#money/billing/transparency/transparency-log.entity';
import { TransparencyRepository } from '#money/billing/transparency/transparency.repository';
import { CHAT_URL } from '../contract/rail-callers';
import { KeyCaller } from '../support/caller';
import { World } from '../support/world';

const LOG = 9;
const SALT_KEY = Buffer.from('a key of salts');
const CHAT = { messages: [{ role: 'user', content: 'Say hello.' }], max_tokens: 16 };

interface Leaf {
  readonly entry_id: string;
  readonly seq: string;
  readonly balance: string;
  readonly at: Date;
  readonly salt: Buffer;
  readonly commitment: Buffer;
  readonly leaf: Buffer | null;
}

describe('the leaves that Postgres makes', () => {
  let world: World;
  let db: Database;
  let account: string;
  let owner: string;

  /** The leaves of these entries of the account, which their transactions wrote in this order. */
  const leavesOf = (facts: readonly (number | string)[]): Promise<Leaf[]> =>
    db.rows<Leaf>(
      `select leaf.* from transparency_leaves($1, $2, (
         select array_agg(row(coalesce(e.account_id || '/' || e.seq, f.id), e.account_id, $3, coalesce(e.kind, 'charged'),
           coalesce(e.amount_micro, 5), e.balance_after_micro, e.seq,
           date_trunc('milliseconds', coalesce(e.created_at, '2026-01-02 03:04:05.6+00')))::transparency_fact order by f.place)
         from unnest($4::text[]) with ordinality as f (id, place)
         left join ledger_entry e on e.account_id = $5 and e.seq::text = f.id)) as leaf
       order by leaf.slot, leaf.seq`,
      [LOG, SALT_KEY, owner, facts.map(String), account],
    );

  beforeAll(async () => {
    world = await World.start({ ROLE: 'api' });
    db = world.app.get(Database, { strict: false });
    const caller = await KeyCaller.register(world, 1_000_000n);
    owner = caller.accountId;
    account = `credits:${owner}`;
    const funds = world.app.get(AccountFunds, { strict: false });
    for (let more = 0; more < 4; more += 1) await funds.topUp(account, micro(1_000n), `test:more-${more}`);
  });

  afterAll(() => world.stop());

  it('chain the entries of an account by their numbers, and read those that a batch lacks', async () => {
    const leaves = await leavesOf([3, 1, 'ch_one', 5]);

    expect(leaves.map(({ entry_id: id }) => id)).toEqual([
      `${account}/1`,
      `${account}/2`,
      `${account}/3`,
      'ch_one',
      `${account}/4`,
      `${account}/5`,
    ]);
    const entries = await db.rows<{ kind: string; amount: string }>(
      'select kind, amount_micro as amount from ledger_entry where account_id = $1 order by seq',
      [account],
    );
    const amounts = [...entries.slice(0, 3), { kind: 'charged', amount: '5' }, ...entries.slice(3)];
    let previous = '';
    for (const [place, leaf] of leaves.entries()) {
      const { kind, amount } = amounts[place]!;
      const text = textOf({
        id: leaf.entry_id,
        owner,
        kind,
        amountMicro: Number(amount),
        balanceMicro: Number(leaf.balance),
        previous,
        at: leaf.at.toISOString(),
      });
      expect(leaf.commitment).toEqual(commitmentOf(leaf.salt, text));
      expect(leaf.leaf).toEqual(leafHash(leaf.commitment));
      previous = leaf.leaf!.toString('base64');
    }
    expect(new Set(leaves.map(({ salt }) => salt.toString('hex'))).size).toBe(leaves.length);
  });

  it('stop at an entry whose predecessor is gone, and go on with other facts of the owner', async () => {
    await db.transaction(async (queries) => {
      await queries.rows('set local session_replication_role = replica');
      await queries.rows(
        `update ledger_entry set account_id = 'credits:hidden' where account_id = $1 and seq = 2`,
        [account],
      );
    });
    try {
      const leaves = await leavesOf([1, 3, 'ch_one']);
      expect(leaves.map(({ entry_id: id, leaf }) => [id, leaf !== null])).toEqual([
        [`${account}/1`, true],
        [`${account}/3`, false],
        ['ch_one', true],
      ]);
    } finally {
      await db.transaction(async (queries) => {
        await queries.rows('set local session_replication_role = replica');
        await queries.rows(`update ledger_entry set account_id = $1 where account_id = 'credits:hidden'`, [
          account,
        ]);
      });
    }
  });

  it('have no gap where an entry is stuck before entries of another owner', async () => {
    await KeyCaller.register(world, 1_000_000n);
    const log = { id: LOG, size: 0, since: 0n } as unknown as TransparencyLog;

    await db.transaction(async (queries) => {
      await queries.rows('set local session_replication_role = replica');
      const move = (from: string, to: string): Promise<unknown> =>
        queries.rows('update ledger_entry set account_id = $2 where account_id = $1 and seq = 2', [from, to]);
      await move(account, 'credits:hidden');
      const sealing = world.app.get(TransparencyRepository, { strict: false });
      const { leaves, stuck } = await sealing.sealNew(queries, log, SALT_KEY, 1_000);
      const stored = await queries.rows<{ leaf_index: string; commitment: Buffer }>(
        'select leaf_index, commitment from transparency_leaf where log_id = $1 order by leaf_index',
        [LOG],
      );
      await queries.rows('delete from transparency_leaf where log_id = $1', [LOG]);
      await move('credits:hidden', account);

      expect(stuck).toContain(`${account}/3`);
      expect(stored.map((leaf) => Number(leaf.leaf_index))).toEqual(leaves.map((_, index) => index));
      expect(stored.map(({ commitment }) => leafHash(commitment))).toEqual(leaves);
    });
  });

  it('are made without a look at the other leaves of a long log', async () => {
    const log = { id: LOG, size: 3_000, since: 0n } as unknown as TransparencyLog;

    await db.transaction(async (queries) => {
      await queries.rows('set local session_replication_role = replica');
      await queries.rows(
        `insert into transparency_leaf (log_id, leaf_index, entry_id, owner, seq, balance_micro, at, salt, commitment)
         select $1, n, 'long/' || n, 'long', 0, 0, now(), $2, $2 from generate_series(0, 2999) as n`,
        [LOG, Buffer.alloc(32)],
      );
      await queries.rows(
        `insert into ledger_entry (account_id, seq, kind, amount_micro, balance_after_micro, source, written)
         select 'credits:acc_many_entries', n, 'top_up', 1, n, 'many/' || n, 5 from generate_series(1, 500) as n`,
      );
      // Postgres plans so by itself for tables that it has not analysed yet.
      await queries.rows('set local enable_nestloop = off');
      const read = async () => {
        const row = await queries.one<{ leaves: string }>(
          `select seq_tup_read + idx_tup_fetch as leaves from pg_stat_xact_user_tables
           where relname = 'transparency_leaf'`,
        );
        return Number(row!.leaves);
      };
      const before = await read();
      const sealing = world.app.get(TransparencyRepository, { strict: false });
      const { facts } = await sealing.sealNew(queries, log, SALT_KEY, 1_000);
      const after = await read();
      await queries.rows('delete from transparency_leaf where log_id = $1', [LOG]);
      await queries.rows(`delete from ledger_entry where account_id = 'credits:acc_many_entries'`);

      expect(facts).toBeGreaterThan(500);
      expect(after - before).toBeLessThan(2 * facts);
    });
  });

  it('are in the same order in small batches, which read no more of a backlog than they seal', async () => {
    const callers = [
      await KeyCaller.register(world, 1_000_000n),
      await KeyCaller.register(world, 1_000_000n),
    ];
    const funds = world.app.get(AccountFunds, { strict: false });
    for (let call = 0; call < 24; call += 1) {
      const { key, accountId } = callers[call % 2]!;
      const { status } = await world.post(CHAT_URL, CHAT, { 'x-api-key': key });
      expect(status).toBe(200);
      if (call % 3 === 0) await funds.topUp(`credits:${accountId}`, micro(1_000n), `test:between-${call}`);
    }
    const sealing = world.app.get(TransparencyRepository, { strict: false });

    await db.transaction(async (queries) => {
      await queries.rows('set local session_replication_role = replica');
      const scans = async (): Promise<number> => {
        const row = await queries.one<{ scans: string }>(
          "select idx_scan as scans from pg_stat_xact_user_tables where relname = 'transparency_leaf'",
        );
        return Number(row!.scans);
      };
      const sealed = async (batch: number) => {
        let [size, since, most] = [0, 0n, 0];
        for (let facts = batch; facts === batch;) {
          const before = await scans();
          const log = { id: LOG, size, since } as unknown as TransparencyLog;
          const made = await sealing.sealNew(queries, log, SALT_KEY, batch);
          most = Math.max(most, (await scans()) - before);
          ({ facts, since } = made);
          size += made.leaves.length;
        }
        const rows = await queries.rows<{ entry_id: string }>(
          'select entry_id from transparency_leaf where log_id = $1 order by leaf_index',
          [LOG],
        );
        await queries.rows('delete from transparency_leaf where log_id = $1', [LOG]);
        return { most, entries: rows.map(({ entry_id: id }) => id) };
      };
      const whole = await sealed(1_000);
      const small = await sealed(5);

      expect(whole.entries.length).toBeGreaterThan(24 * 2);
      expect(small.entries).toEqual(whole.entries);
      expect(small.most).toBeLessThan(8 * 5);
      expect(whole.most).toBeGreaterThan(whole.entries.length);
    });
  });

  it('read few other leaves, although Postgres made its plans when the log was empty', async () => {
    const owners = 300;
    const sealing = world.app.get(TransparencyRepository, { strict: false });
    await db.rows('vacuum (analyze) transparency_leaf');

    await db.transaction(async (queries) => {
      await queries.rows('set local session_replication_role = replica');
      await queries.rows(
        `insert into ledger_entry (account_id, seq, kind, amount_micro, balance_after_micro, source, written)
         select 'credits:acc_early_' || n % ${owners}, n / ${owners} + 1, 'top_up', 1, n, 'early/' || n, 5
         from generate_series(0, ${10 * owners - 1}) as n`,
      );
      const read = async () => {
        const row = await queries.one<{ leaves: string }>(
          `select seq_tup_read + idx_tup_fetch as leaves from pg_stat_xact_user_tables
           where relname = 'transparency_leaf'`,
        );
        return Number(row!.leaves);
      };
      let [size, most] = [0, 0];
      const seal = async (limit: number): Promise<number> => {
        const before = await read();
        const log = { id: LOG, size, since: 0n } as unknown as TransparencyLog;
        const { facts, leaves } = await sealing.sealNew(queries, log, SALT_KEY, limit);
        size += leaves.length;
        most = Math.max(most, (await read()) - before);
        return facts;
      };
      // A connection keeps the plan of the sixth time.
      for (let batch = 0; batch < 8; batch += 1) await seal(1);
      while ((await seal(1_000)) === 1_000);
      await queries.rows('delete from transparency_leaf where log_id = $1', [LOG]);
      await queries.rows(`delete from ledger_entry where account_id like 'credits:acc_early_%'`);

      expect(size).toBeGreaterThan(10 * owners);
      expect(most).toBeLessThan(20 * size);
    });
  });
});
