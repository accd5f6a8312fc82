import { randomBytes } from 'node:crypto';

import { Client } from 'pg';

import type { ChargeDraft, Held } from '#money/billing/charges/charge';
import { type EntriesOf, LedgerEntriesRepository } from '#money/billing/ledger/ledger-entries.repository';
import { LedgerRepository } from '#money/billing/ledger/ledger.repository';
import { newId } from '#kernel/ids';
import { micro } from '#kernel/money';
import { readSettings } from '../../src/settings';
import { createDataSource } from '#platform/database/data-source';
import { Database } from '#platform/database/database';
import { DatabaseUnavailable } from '#platform/database/database.errors';
import { expectBooksToBalance } from '../support/books';
import { cloneDatabase } from '../support/postgres';

const KEY = 'key_limited000000000';

const connect = async (url: string) => {
  const source = await createDataSource(url).initialize();
  const db = new Database(source, readSettings({ DATABASE_URL: url, SIGNING_SECRET: 'x'.repeat(32) }));
  return { url, source, db, ledger: new LedgerRepository(db) };
};

const randomWallet = () => `0x${randomBytes(20).toString('hex')}`;

const draftFor = (payer: string, price: bigint, more: Partial<ChargeDraft> = {}): ChargeDraft => ({
  id: newId('ch'),
  rail: 'wallet',
  operation: 'chat',
  payer,
  accountId: `wallet:${payer}`,
  modelId: 'lumen-flash',
  price: micro(price),
  list: micro(price),
  discountPercent: 0,
  fingerprint: randomBytes(32),
  ...more,
});

describe('the ledger', () => {
  let ours: Awaited<ReturnType<typeof connect>>;
  let others: Awaited<ReturnType<typeof connect>>;

  const fund = async (amount: bigint): Promise<string> => {
    const wallet = randomWallet();
    await ours.ledger.topUp(`wallet:${wallet}`, micro(amount), `test:${wallet}`, `0x${wallet}`);
    return wallet;
  };

  beforeAll(async () => {
    const url = await cloneDatabase();
    ours = await connect(url);
    others = await connect(url);
  });

  afterEach(() => expectBooksToBalance(ours.db));

  const pageOf = (account: string, which: EntriesOf) =>
    new LedgerEntriesRepository(ours.db).page(account, which);

  afterAll(async () => {
    for (const { db, source } of [ours, others]) {
      await db.onApplicationShutdown();
      await source.destroy();
    }
  });

  /**
   * Repeats like a caller after a 503: a statement that exceeded its timeout on a busy machine was undone completely.
   */
  const insist = async <T>(work: () => Promise<T>): Promise<T> => {
    for (;;) {
      try {
        return await work();
      } catch (error) {
        if (!(error instanceof DatabaseUnavailable)) throw error;
      }
    }
  };

  it('is proven by single rows, also if Postgres plans the proof while the ledger is small', async () => {
    const wallet = await fund(10_000n);
    const account = `wallet:${wallet}`;
    const debits = (count: number, name: string) =>
      `with paid as (
         update ledger_account set balance_micro = balance_micro - ${count}, last_seq = last_seq + ${count}
         where id = '${account}' returning *
       ), made as (
         insert into charge (id, rail, operation, payer, account_id, price_micro, list_micro, discount_percent, fingerprint,
           state, lease_until)
         select 'ch_${name}' || n, 'wallet', 'chat', '${wallet}', id, 1, 1, 0, sha256('a call'), 'held', now() + interval '1 hour'
         from paid, generate_series(1, ${count}) as n
       )
       insert into ledger_entry (account_id, seq, kind, amount_micro, balance_after_micro, charge_id)
       select id, last_seq - ${count} + n, 'debit', 1, balance_micro + ${count} - n, 'ch_${name}' || n
       from paid, generate_series(1, ${count}) as n`;
    const [ENTRIES, ADDED] = [2_000, 20];
    await ours.db.rows(debits(ENTRIES, 'small'));

    // A new connection has no plan yet.
    const client = new Client(ours.url);
    await client.connect();
    await client.query('begin');
    await client.query(debits(ADDED, 'planned'));
    const { rows } = await client.query<{ read: number }>(
      `select sum(seq_tup_read + idx_tup_fetch)::integer as read from pg_stat_xact_user_tables
       where relname in ('ledger_entry', 'charge', 'ledger_account')`,
    );
    await client.query('commit');
    await client.end();

    // Each entry needs its predecessor, its account and its charge, and the account is updated and proven.
    expect(rows[0]!.read).toBeLessThan(ADDED * 5);
  });

  it('finds the money and the open calls of each of many payers in one statement', async () => {
    const [rich, poor, unknown] = [await fund(900_000n), await fund(500n), randomWallet()];
    const open = [1, 2].map(() => draftFor(rich, 1_000n, { operation: 'studio' }));
    await Promise.all(open.map((draft) => ours.ledger.reserve(draft)));
    const statements = jest.spyOn(ours.db, 'rows');

    const found = await Promise.all(
      [rich, poor, unknown, rich].map((wallet) => ours.ledger.balances.shared(`wallet:${wallet}`)),
    );

    expect(statements).toHaveBeenCalledTimes(1);
    statements.mockRestore();
    expect(found.map(({ balance, openCalls }) => [balance, openCalls])).toEqual([
      [898_000n, 2],
      [500n, 0],
      [0n, 0],
      [898_000n, 2],
    ]);
    await Promise.all(open.map(({ id }) => ours.ledger.release(id)));
  });

  it('credits one payment once, however often it is reported', async () => {
    const wallet = randomWallet();
    const notify = () => ours.ledger.topUp(`wallet:${wallet}`, micro(5_000n), 'x402:one');

    const reported = await Promise.all([notify(), notify(), notify()]);

    expect(reported.filter((balance) => balance !== undefined)).toEqual([5_000n]);
    expect(await ours.ledger.balances.of(`wallet:${wallet}`)).toBe(5_000n);
  });

  it.each(['hold', 'reserve'] as const)(
    'by %s gives a retry no charge after the call before it',
    async (secure) => {
      const wallet = await fund(10_000n);
      const same = { caller: wallet, arrivedAt: new Date() };
      const operation = secure === 'hold' ? 'chat' : 'studio';
      const first = draftFor(wallet, 1_000n, { operation, same });
      const retry = { ...first, id: newId('ch'), same: { ...same, retryId: 'call_retry' } };
      const another = draftFor(wallet, 1_000n, { operation, same });

      expect((await ours.ledger[secure](first)).ok).toBe(true);
      const held = await Promise.all([retry, another].map((draft) => others.ledger[secure](draft)));

      expect(held[0]).toEqual({ ok: false, reason: 'duplicate' });
      expect(held[1]?.ok).toBe(true);
    },
  );

  it('takes of many streams at once what each has used, and no more than it had set aside', async () => {
    const wallets = await Promise.all([fund(10_000n), fund(10_000n), fund(10_000n)]);
    const drafts = wallets.flatMap((wallet) =>
      Array.from({ length: 10 }, () => draftFor(wallet, 1_000n, { operation: 'studio' })),
    );
    const held = await Promise.all(drafts.map((draft) => ours.ledger.reserve(draft)));
    expect(held.every(({ ok }) => ok)).toBe(true);
    expect(await ours.ledger.balances.of(`wallet:${wallets[0]!}`)).toBe(0n);

    // Each third is released. The others have used up to eight micro-USD, and the last reports more than its hold.
    const used = drafts.map((_, n) => (n % 10 === 9 ? 5_000n : BigInt(n % 10)));
    const end = (draft: ChargeDraft, n: number, ledger: LedgerRepository) =>
      n % 3 === 0 ? ledger.release(draft.id) : ledger.capture(draft.id, micro(used[n]! || 1n));
    await Promise.all(drafts.map((draft, n) => end(draft, n, ours.ledger)));
    const again = await Promise.all(drafts.map((draft, n) => end(draft, n, others.ledger)));

    expect(again.every((balance) => balance === undefined)).toBe(true);
    for (const [at, wallet] of wallets.entries()) {
      const taken = used
        .map((micros, n) => ({ n, micros: micros > 1_000n ? 1_000n : micros || 1n }))
        .filter(({ n }) => Math.floor(n / 10) === at && n % 3 !== 0)
        .map(({ micros }) => micros);
      const { entries } = await pageOf(`wallet:${wallet}`, { limit: 50 });
      const debits = entries.filter(({ kind }) => kind === 'debit').map(({ amount }) => String(amount));
      expect(debits.toSorted()).toEqual(taken.map(String).toSorted());
      const total = taken.reduce((sum, micros) => sum + micros, 0n);
      expect(await ours.ledger.balances.of(`wallet:${wallet}`)).toBe(10_000n - total);
      expect(entries[0]?.balanceAfter).toBe(10_000n - total);
    }
  });

  describe.each([
    ['in a statement each', (ledger: LedgerRepository, draft: ChargeDraft) => ledger.holdOne(draft)],
    ['coalesced', (ledger: LedgerRepository, draft: ChargeDraft) => ledger.hold(draft)],
    [
      'the worst case of a stream',
      (ledger: LedgerRepository, draft: ChargeDraft) => ledger.reserve({ ...draft, operation: 'studio' }),
    ],
  ] as const)('holding %s', (_, hold) => {
    it('spends exactly what there is when 300 calls race through two processes', async () => {
      const wallet = await fund(219_000n);

      const holds = await Promise.all(
        Array.from({ length: 300 }, (__, n) => {
          const draft = draftFor(wallet, 1_000n);
          return insist(() => hold((n % 2 ? ours : others).ledger, draft));
        }),
      );

      expect(holds.filter((held: Held) => held.ok)).toHaveLength(219);
      expect(holds.filter((held: Held) => !held.ok && held.reason === 'short')).toHaveLength(81);
      expect(await ours.ledger.balances.of(`wallet:${wallet}`)).toBe(0n);
    });

    it('lets one mark through, and frees it with its release', async () => {
      const wallet = await fund(10_000n);
      const marked = () => draftFor(wallet, 100n, { mark: 'key:same' });
      const first = marked();

      const drafts = [first, marked(), marked()];
      const holds = await Promise.all(drafts.map((draft) => hold(ours.ledger, draft)));
      await ours.ledger.release(drafts[holds.findIndex(({ ok }) => ok)]!.id);
      const again = await hold(ours.ledger, marked());

      const outcomes = holds.map((held: Held) => (held.ok ? 'held' : held.reason)).sort();
      expect(outcomes).toEqual(['duplicate', 'duplicate', 'held']);
      expect(again.ok).toBe(true);
    });

    it("keeps to a key's spend limit in a race, and gives room back with a release", async () => {
      const account = newId('acc');
      const key = `${KEY}${randomBytes(4).toString('hex')}`;
      await ours.db.rows(`insert into account (id, email, password_hash) values ($1, $2, 'x')`, [
        account,
        `${account.toLowerCase()}@example.test`,
      ]);
      await ours.db.rows(
        `insert into api_key (id, account_id, name, hash, prefix, spend_limit_micro) values ($1, $2, 'k', $3, 'lp_', 1000)`,
        [key, account, randomBytes(32)],
      );
      await ours.ledger.topUp(`credits:${account}`, micro(1_000_000n), `test:${account}`);
      const draft = () =>
        draftFor(account, 100n, {
          rail: 'api-key',
          accountId: `credits:${account}`,
          key: { id: key, counted: key, isDelegated: false },
        });

      const drafts = Array.from({ length: 30 }, draft);
      const holds = await Promise.all(drafts.map((one, n) => hold((n % 2 ? ours : others).ledger, one)));
      const [held] = drafts.filter((__, n) => holds[n]?.ok);
      await ours.ledger.release(held!.id);
      const after = await Promise.all([hold(ours.ledger, draft()), hold(others.ledger, draft())]);

      expect(holds.filter((one: Held) => one.ok)).toHaveLength(10);
      expect(holds.filter((one: Held) => !one.ok && one.reason === 'key-limit')).toHaveLength(20);
      expect(after.filter((one: Held) => one.ok)).toHaveLength(1);
      expect(await ours.ledger.balances.of(`credits:${account}`)).toBe(999_000n);
    });
  });

  it('gives the last micro to the first call', async () => {
    const wallet = await fund(10n);

    const holds = await Promise.all(
      [6n, 6n, 4n, 1n].map((price) => ours.ledger.hold(draftFor(wallet, price))),
    );

    expect(holds.map((held: Held) => held.ok)).toEqual([true, false, true, false]);
  });

  it('refunds once when twenty refunds race', async () => {
    const wallet = await fund(5_000n);
    const draft = draftFor(wallet, 5_000n);
    await ours.ledger.hold(draft);
    await ours.ledger.settle({ chargeId: draft.id, watched: false });

    const refunds = await Promise.all(
      Array.from({ length: 20 }, (_, n) => (n % 2 ? ours : others).ledger.refund(draft.id)),
    );

    expect(refunds.filter((balance) => balance !== undefined)).toEqual([5_000n]);
    expect(await ours.ledger.balances.of(`wallet:${wallet}`)).toBe(5_000n);
  });

  it('settles once when one charge is settled three times in one moment', async () => {
    const wallet = await fund(1_000n);
    const draft = draftFor(wallet, 400n);
    await ours.ledger.hold(draft);
    const settle = () => ours.ledger.settle({ chargeId: draft.id, watched: true });

    const settled = await Promise.all([settle(), settle(), settle()]);

    expect(settled.filter(Boolean)).toHaveLength(1);
    expect(await ours.ledger.balances.of(`wallet:${wallet}`)).toBe(600n);
  });

  it('writes one event for each job, whatever its call is settled with', async () => {
    const wallet = await fund(5_000n);
    const drafts = Array.from({ length: 5 }, () => draftFor(wallet, 100n));
    await Promise.all(drafts.map((draft) => ours.ledger.hold(draft)));
    const jobOf = async ({ id }: ChargeDraft): Promise<string> => {
      const jobId = newId('job');
      await ours.db.rows(
        `insert into job (id, charge_id, owner, kind, mode, model_id, status, usual_seconds, deadline_at)
         values ($1, $2, $3, 'image', 't2i', 'ember', 'running', 5, now())`,
        [jobId, id, wallet],
      );
      return jobId;
    };
    const jobs = [await jobOf(drafts[0]!), await jobOf(drafts[1]!)];
    const settle = (n: number) =>
      ours.ledger.settle({ chargeId: drafts[n]!.id, jobId: jobs[n], watched: false });

    const settled = [await settle(0), ...(await Promise.all([1, 2, 3, 1].map(settle))), await settle(4)];

    expect(settled).toEqual([true, true, true, true, false, true]);
    const charges = await ours.db.rows<{ job_id: string | null }>(
      `select job_id from charge where payer = $1 and state = 'charged' order by array_position($2, id)`,
      [wallet, drafts.map(({ id }) => id)],
    );
    expect(charges.map((charge) => charge.job_id)).toEqual([...jobs, null, null, null]);
    const reported = await ours.db.rows<{ id: string }>(
      `select data->>'id' as id from event where owner = $1 and type = 'job.accepted' order by id`,
      [wallet],
    );
    expect(reported.map(({ id }) => id).sort()).toEqual([...jobs].sort());
  });

  it('charges the usage once when it is reported three times in one moment', async () => {
    const wallet = await fund(1_000n);
    const draft = draftFor(wallet, 900n, { operation: 'studio' });
    await ours.ledger.reserve(draft);
    const capture = () => ours.ledger.capture(draft.id, micro(300n));

    const left = await Promise.all([capture(), capture(), capture()]);

    expect(left.filter((balance) => balance !== undefined)).toEqual([700n]);
    expect(await ours.ledger.balances.of(`wallet:${wallet}`)).toBe(700n);
  });

  it('decides between a settlement and a release that race', async () => {
    const wallet = await fund(1_000n);
    const draft = draftFor(wallet, 1_000n);
    await ours.ledger.hold(draft);

    const [settled, released] = await Promise.all([
      ours.ledger.settle({ chargeId: draft.id, watched: false }),
      others.ledger.release(draft.id),
    ]);

    expect([settled, released !== undefined].filter(Boolean)).toHaveLength(1);
  });

  it('pages through the newest entries first', async () => {
    const wallet = await fund(1_000n);
    for (const price of [1n, 2n, 3n]) await ours.ledger.hold(draftFor(wallet, price));

    const { entries: first, next } = await pageOf(`wallet:${wallet}`, { limit: 2 });
    const rest = await pageOf(`wallet:${wallet}`, { limit: 50, before: next });

    expect(first.map(({ amount }) => amount)).toEqual([3n, 2n]);
    expect(rest.next).toBeUndefined();
    expect(rest.entries.map(({ kind, balanceAfter }) => [kind, balanceAfter])).toEqual([
      ['debit', 999n],
      ['top_up', 1_000n],
    ]);
  });

  describe('refuses by itself', () => {
    let wallet: string;
    let charge: ChargeDraft;

    beforeAll(async () => {
      wallet = await fund(10_000n);
      charge = draftFor(wallet, 1_000n);
      await ours.ledger.hold(charge);
    });

    it.each([
      [
        'a balance below zero',
        (w: string) => `update ledger_account set balance_micro = -1 where id = 'wallet:${w}'`,
      ],
      [
        'a balance raised by hand',
        (w: string) => `update ledger_account set balance_micro = balance_micro + 1 where id = 'wallet:${w}'`,
      ],
      [
        'a reserve above the balance',
        (w: string) =>
          `update ledger_account set reserved_micro = balance_micro + 1 where id = 'wallet:${w}'`,
      ],
      [
        'an account in mixed case',
        () => `insert into ledger_account (id) values ('wallet:0x${'A'.repeat(40)}')`,
      ],
      [
        'an account of a name that none has',
        () => `insert into ledger_account (id) values ('credits:somebody') on conflict (id) do nothing`,
      ],
      [
        'an account that starts with money',
        (w: string) =>
          `insert into ledger_account (id, balance_micro) values ('wallet:0x${w.slice(4)}00', 5)`,
      ],
      ['an account deleted', (w: string) => `delete from ledger_account where id = 'wallet:${w}'`],
      [
        'an entry rewritten',
        (w: string) => `update ledger_entry set amount_micro = 1 where account_id = 'wallet:${w}'`,
      ],
      ['an entry deleted', (w: string) => `delete from ledger_entry where account_id = 'wallet:${w}'`],
      ['the ledger emptied', () => 'truncate ledger_entry'],
      [
        'an entry without its balance',
        (w: string) =>
          `insert into ledger_entry (account_id, seq, kind, amount_micro, balance_after_micro, source) values ('wallet:${w}', 3, 'top_up', 5, 9005, 'hand')`,
      ],
      [
        'two entries with a gap between them',
        (w: string) =>
          `with a as (update ledger_account set balance_micro = balance_micro + 10, last_seq = last_seq + 3 where id = 'wallet:${w}' returning *) insert into ledger_entry (account_id, seq, kind, amount_micro, balance_after_micro, source) select id, last_seq - n, 'top_up', 5, balance_micro - n / 2 * 5, 'hand' || n from a, unnest(array[0, 2]) as n`,
      ],
      [
        'an entry that its balance does not contain',
        (w: string) =>
          `with a as (update ledger_account set balance_micro = balance_micro + 5, last_seq = last_seq + 1 where id = 'wallet:${w}' returning *) insert into ledger_entry (account_id, seq, kind, amount_micro, balance_after_micro, source) select id, last_seq + n, 'top_up', 5, balance_micro + n * 5, 'hand' || n from a, unnest(array[0, 1]) as n`,
      ],
      [
        "another account's entry",
        (w: string) =>
          `insert into ledger_entry (account_id, seq, kind, amount_micro, balance_after_micro, source) values ('wallet:0x${w.slice(4)}11', 1, 'top_up', 5, 5, 'hand')`,
      ],
      [
        'a fork in the chain',
        (w: string) =>
          `insert into ledger_entry (account_id, seq, kind, amount_micro, balance_after_micro, source) values ('wallet:${w}', 2, 'top_up', 5, 10005, 'hand')`,
      ],
      [
        'a wrong running balance',
        (w: string) =>
          `with a as (update ledger_account set balance_micro = balance_micro + 6, last_seq = last_seq + 1 where id = 'wallet:${w}' returning *) insert into ledger_entry (account_id, seq, kind, amount_micro, balance_after_micro, source) select id, last_seq, 'top_up', 5, balance_micro, 'hand' from a`,
      ],
      [
        'a refund of more than the debit',
        (w: string, c: string) =>
          `with a as (update ledger_account set balance_micro = balance_micro + 2000, last_seq = last_seq + 1 where id = 'wallet:${w}' returning *) insert into ledger_entry (account_id, seq, kind, amount_micro, balance_after_micro, charge_id) select id, last_seq, 'refund', 2000, balance_micro, '${c}' from a`,
      ],
      [
        'a refund of a charge that is nowhere',
        (w: string) =>
          `with a as (update ledger_account set balance_micro = balance_micro + 5, last_seq = last_seq + 1 where id = 'wallet:${w}' returning *) insert into ledger_entry (account_id, seq, kind, amount_micro, balance_after_micro, charge_id) select id, last_seq, 'refund', 5, balance_micro, 'ch_nowhere' from a`,
      ],
      [
        'a second debit of one charge',
        (w: string, c: string) =>
          `with a as (update ledger_account set balance_micro = balance_micro - 1000, last_seq = last_seq + 1 where id = 'wallet:${w}' returning *) insert into ledger_entry (account_id, seq, kind, amount_micro, balance_after_micro, charge_id) select id, last_seq, 'debit', 1000, balance_micro, '${c}' from a`,
      ],
      [
        'a charge that goes backwards',
        (_: string, c: string) =>
          `update charge set state = 'refunded', refunded_at = now(), settled_at = now(), lease_until = null where id = '${c}'`,
      ],
      [
        'a charge of another price',
        (_: string, c: string) => `update charge set price_micro = 1 where id = '${c}'`,
      ],
      ['a charge deleted', (_: string, c: string) => `delete from charge where id = '${c}'`],
      [
        'a price of zero',
        () =>
          `insert into charge (id, rail, operation, payer, state, price_micro, list_micro, fingerprint, lease_until) values ('ch_x', 'x402', 'chat', 'p', 'held', 0, 0, sha256('x'), now())`,
      ],
      [
        'a prepaid charge that settles on chain',
        (_: string, c: string) => `update charge set state = 'settling' where id = '${c}'`,
      ],
    ])('%s', async (_, statement) => {
      await expect(ours.db.rows(statement(wallet, charge.id))).rejects.toThrow(/./);
    });

    it('another name of an account, even of one that never had money', async () => {
      const account = `wallet:${randomWallet()}`;
      await ours.db.rows('insert into ledger_account (id) values ($1)', [account]);

      const renamed = ours.db.rows('update ledger_account set id = $2 where id = $1', [
        account,
        `${account}0`,
      ]);

      await expect(renamed).rejects.toThrow(/append-only/);
    });
  });
});
