import { createHash } from 'node:crypto';
import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { ReconciliationProcessor } from '#money/billing/sweeps/reconciliation.processor';
import { TransparencyProcessor } from '#money/billing/transparency/transparency.processor';
import type { Statement } from '../../clients/typescript/src/answers';
import { Lamppost } from '../../clients/typescript/src/lamppost';
import { ProofFailed, Proofs, type Proven } from '../../clients/typescript/src/proofs';
import { CHAT_URL } from '../contract/rail-callers';
import { KeyCaller } from '../support/caller';
import { World } from '../support/world';

const sha256 = (bytes: Uint8Array): Uint8Array => new Uint8Array(createHash('sha256').update(bytes).digest());
const folder = (): string => mkdtempSync(join(tmpdir(), 'transparency-'));

interface Victim {
  readonly caller: KeyCaller;
  readonly client: Lamppost;
  readonly charges: readonly string[];
}

/** The attacker is the operator, or has the password of the database. The client trusts neither. */
describe('a log that somebody has tampered with', () => {
  let world: World;
  let baseUrl: string;

  const seal = (of = world): Promise<void> => of.app.get(TransparencyProcessor, { strict: false }).run();
  const drift = async (of = world): Promise<bigint> =>
    (await of.app.get(ReconciliationProcessor, { strict: false }).run())['transparency']!;
  const chat = async (caller: KeyCaller, of = world): Promise<string> => {
    const body = { messages: [{ role: 'user', content: Math.random().toString() }], max_tokens: 16 };
    return (await of.post(CHAT_URL, body, { 'x-api-key': caller.key })).headers['x-charge-id']!;
  };
  const victim = async (): Promise<Victim> => {
    const caller = await KeyCaller.register(world, 1_000_000n);
    const charges = [await chat(caller), await chat(caller), await chat(caller)];
    await seal();
    return { caller, charges, client: new Lamppost({ baseUrl, key: caller.key, tries: 1 }) };
  };
  /** Changes rows without triggers, as an administrator of the database can. */
  const tamper = (sql: string, values: readonly unknown[], of = world): Promise<unknown> =>
    of.db.transaction(async (queries) => {
      await queries.rows('set local session_replication_role = replica');
      await queries.rows(sql, values);
    });
  const statement = ({ client }: Victim, seen: readonly string[] = []): Promise<Proven> =>
    new Proofs(client).verifyStatement({}, { sha256, seen });

  beforeAll(async () => {
    world = await World.start({ DATA_DIR: folder(), ROLE: 'api' });
    baseUrl = await world.listen();
  });

  afterAll(() => world.stop());

  const entry = (seq: number, set: string) => (one: Victim) =>
    tamper(`update ledger_entry set ${set} where account_id = $1 and seq = $2`, [
      `credits:${one.caller.accountId}`,
      seq,
    ]);
  const charge = (set: string) => (one: Victim) =>
    tamper(`update charge set ${set} where id = $1`, [one.charges[1]]);
  const leaf = (sql: string) => (one: Victim) => tamper(sql, [one.charges[1]]);

  it.each<[string, (one: Victim) => Promise<unknown>]>([
    ['the amount of an entry', entry(3, 'amount_micro = amount_micro + 1')],
    ['the balance after an entry', entry(3, 'balance_after_micro = balance_after_micro - 1')],
    [
      'amount and balance together, so that they add up',
      entry(4, 'amount_micro = amount_micro + 5, balance_after_micro = balance_after_micro - 5'),
    ],
    ['the kind of an entry', entry(2, `kind = 'refund'`)],
    ['the time of an entry', entry(2, `created_at = created_at - interval '1 day'`)],
    ['the price of a charge', charge('price_micro = price_micro - 1')],
    ['how a charge ended', charge(`state = 'released', settled_at = null`)],
    ['whose charge it is', charge(`payer = 'acc_somebodyelse'`)],
    [
      'that an entry is there',
      (one) =>
        tamper(`delete from ledger_entry where account_id = $1 and seq = 3`, [
          `credits:${one.caller.accountId}`,
        ]),
    ],
    [
      'that a leaf is theirs',
      leaf(`update transparency_leaf set owner = 'acc_somebodyelse' where entry_id = $1 || '.charged'`),
    ],
    [
      'the salt of a leaf',
      leaf(`update transparency_leaf set salt = sha256(salt) where entry_id = $1 || '.charged'`),
    ],
    [
      'the order of two entries',
      (one) =>
        tamper(
          `with moved as (
             update ledger_entry set seq = seq + 100 where account_id = $1 and seq in (2, 3) returning seq
           ) select * from moved`,
          [`credits:${one.caller.accountId}`],
        ).then(() =>
          tamper(`update ledger_entry set seq = 105 - seq where account_id = $1 and seq > 100`, [
            `credits:${one.caller.accountId}`,
          ]),
        ),
    ],
  ])('is found by its owner, who changes %s', async (_, change) => {
    const one = await victim();
    await expect(statement(one)).resolves.toMatchObject({ openingBalanceMicro: 0 });
    const before = await drift();

    await change(one);

    await expect(statement(one)).rejects.toThrow(ProofFailed);
    expect(before < (await drift())).toBe(true);
  });

  /** The service as one owner sees it, with statements that are changed on their way. */
  const liar = ({ client }: Victim, change: (page: Statement) => Partial<Statement>): Proofs =>
    new Proofs({
      read: async (path, options) => {
        const answer = await client.read(path, options);
        if (path !== '/v1/agent/statement') return answer;
        const page = (await answer.json()) as Statement;
        return Response.json({ ...page, ...change(page) });
      },
    });

  it.each<[string, string, (page: Statement) => Partial<Statement>]>([
    [
      'without its first entries',
      'no entry that proves its opening balance',
      ({ entries }) => ({
        entries: entries.slice(3),
        openingBalanceMicro: entries[2]!.entry.balanceMicro,
      }),
    ],
    [
      'that begins too late',
      'leaves out the entry',
      ({ entries }) => ({
        before: entries[2]!,
        entries: entries.slice(3),
        openingBalanceMicro: entries[2]!.entry.balanceMicro,
      }),
    ],
    [
      'of balances alone',
      'no entry that proves its opening balance',
      () => ({ entries: [], openingBalanceMicro: 5, closingBalanceMicro: 5 }),
    ],
    [
      'of balances without a log',
      'no checkpoint',
      () => ({ entries: [], openingBalanceMicro: 5, closingBalanceMicro: 5, checkpoint: undefined }),
    ],
    [
      'without an entry in the middle',
      'The balance after',
      ({ entries }) => ({ entries: entries.filter((_, at) => at !== 1) }),
    ],
    [
      'without the end of a charge',
      'missing or out of order',
      ({ entries }) => ({ entries: entries.filter((_, at) => at !== 2) }),
    ],
  ])('is found by its owner, who gets a statement %s', async (_, fault, change) => {
    const one = await victim();

    await expect(liar(one, change).verifyStatement({}, { sha256 })).rejects.toThrow(fault);
  });

  it('is found by its owner, who has seen an entry that a later statement does not show', async () => {
    const one = await victim();
    const proofs = new Proofs(one.client);
    const receipt = await one.client.receipts.get(one.charges[2]!);
    const first = await proofs.verifyReceipt(receipt, { sha256 });
    const whole = await proofs.verifyStatement({}, { sha256, known: first.known });
    const short = liar(one, ({ entries }) => ({
      entries: entries.slice(0, -2),
      closingBalanceMicro: entries.at(-3)!.entry.balanceMicro,
    }));

    // The short statement is valid in itself: an owner who remembers nothing can't notice the missing end.
    await short.verifyStatement({}, { sha256 });
    for (const { known } of [first, whole])
      await expect(short.verifyStatement({}, { sha256, known })).rejects.toThrow('two histories');

    expect([first.known.length, whole.known]).toEqual([
      1,
      [expect.objectContaining({ leafIndex: receipt.proof!.leafIndex })],
    ]);
    await chat(one.caller);
    await seal();
    const later = await proofs.verifyStatement({}, { sha256, known: whole.known });
    expect(later.known[0]!.leafIndex).toBeGreaterThan(whole.known[0]!.leafIndex);
  });

  it('proves a part of a statement by the entry before it', async () => {
    const one = await victim();
    const proofs = new Proofs(one.client);
    const { entries } = await proofs.verifyStatement({}, { sha256 });
    const from = entries[3]!.entry.at;
    const early = entries.findIndex(({ entry: { at } }) => at >= from);

    const part = await proofs.verifyStatement({ from }, { sha256 });
    const none = await proofs.verifyStatement({ from: '2120-01-01T00:00:00Z', to: '2121-01-01T00:00:00Z' });

    expect(part).toMatchObject({
      entries: entries.slice(early),
      openingBalanceMicro: entries[early - 1]!.entry.balanceMicro,
    });
    expect(none).toMatchObject({
      entries: [],
      openingBalanceMicro: entries.at(-1)!.entry.balanceMicro,
      closingBalanceMicro: entries.at(-1)!.entry.balanceMicro,
    });
    const lying = liar(one, ({ entries: shown, before }) => ({
      entries: shown.slice(1),
      before: before && { ...before, entry: { ...before.entry, balanceMicro: shown[0]!.entry.balanceMicro } },
      openingBalanceMicro: shown[0]!.entry.balanceMicro,
    }));
    await expect(lying.verifyStatement({ from }, { sha256 })).rejects.toThrow(ProofFailed);
  });

  it('is found by who keeps a receipt of a charge that was changed later', async () => {
    const one = await victim();
    const receipt = await one.client.receipts.get(one.charges[0]!);
    await new Proofs(one.client).verifyReceipt(receipt, { sha256 });

    await tamper('update charge set price_micro = price_micro - 1 where id = $1', [one.charges[0]]);

    await expect(
      new Proofs(one.client).verifyReceipt(await one.client.receipts.get(one.charges[0]!), { sha256 }),
    ).rejects.toThrow(ProofFailed);
    // Proofs from before still prove the facts of that time.
    await new Proofs(one.client).verifyReceipt(receipt, { sha256 });
  });

  it('shows an entry that was put in between and sealed later: the balances do not add up', async () => {
    const one = await victim();
    await tamper(
      `insert into ledger_entry (account_id, seq, kind, amount_micro, balance_after_micro, source)
       values ($1, 5, 'debit', 7000, (select balance_after_micro from ledger_entry where account_id = $1 and seq = 4), 'debit:forged')`,
      [`credits:${one.caller.accountId}`],
    );
    await seal();

    await expect(statement(one)).rejects.toThrow('The balance after the entry');
  });

  it.each<[string, string]>([
    [
      'an entry of the public log',
      `update transparency_leaf set commitment = sha256(commitment) where leaf_index = 3`,
    ],
    [
      'a tile',
      `update transparency_tile set hashes = overlay(hashes placing sha256('x') from 33) where level = 0 and tile = 0`,
    ],
  ])('is found by anybody who reads the log, where somebody changes %s', async (_, sql) => {
    const own = await World.start({ DATA_DIR: folder(), ROLE: 'api' });
    const client = new Lamppost({ baseUrl: await own.listen(), tries: 1 });
    try {
      const caller = await KeyCaller.register(own, 1_000_000n);
      for (let n = 0; n < 3; n += 1) await chat(caller, own);
      await seal(own);
      const { checkpoint } = await new Proofs(client).verifyLog({ sha256 });

      await tamper(sql, [], own);

      await expect(new Proofs(client).verifyLog({ sha256, seen: [checkpoint] })).rejects.toThrow(ProofFailed);
      expect(await drift(own)).toBeGreaterThan(0n);
    } finally {
      await own.stop();
    }
  });

  it('signs nothing that does not continue what was signed, and begins a new log instead', async () => {
    const own = await World.start({ DATA_DIR: folder(), ROLE: 'api' });
    const client = new Lamppost({ baseUrl: await own.listen(), tries: 1 });
    try {
      const caller = await KeyCaller.register(own, 1_000_000n);
      await chat(caller, own);
      await seal(own);
      const { checkpoint: early } = await new Proofs(client).verifyLog({ sha256 });
      const kept = await own.db.rows<{ size: string }>('select size from transparency_log');
      await chat(caller, own);
      await seal(own);
      const { checkpoint: late, verifiers } = await new Proofs(client).verifyLog({ sha256, seen: [early] });

      // Deletes the newest rows, as an older backup would.
      await tamper('delete from transparency_leaf where leaf_index >= $1', [kept[0]!.size], own);
      await tamper(
        `update transparency_tile set hashes = substr(hashes, 1, 32 * $1::int)`,
        [kept[0]!.size],
        own,
      );
      await tamper(
        'update transparency_log set size = $1, published_size = $1, note = $2',
        [kept[0]!.size, early],
        own,
      );
      await expect(new Proofs(client).verifyLog({ sha256, seen: [late], verifiers })).rejects.toThrow(
        'The log has lost entries',
      );
      expect(await drift(own)).toBeGreaterThan(0n);
      // A new process finds the change before it seals anything new.
      const { databaseUrl, dataDir } = own.settings;
      const next = await World.start({ DATABASE_URL: databaseUrl!, DATA_DIR: dataDir, ROLE: 'api' });
      await seal(next);
      expect((await next.get('/transparency/logs')).body.logs).toHaveLength(2);
      await next.stop();
      await chat(caller, own);
      await seal(own);

      const proven = await new Proofs(client).verifyLog({ sha256, seen: [late], verifiers });
      expect(proven).toMatchObject({
        origin: '127.0.0.1:3999/transparency/2',
        follows: '127.0.0.1:3999/transparency',
      });
      const owner = new Lamppost({ baseUrl: await addressOf(own), key: caller.key });
      const statement = await new Proofs(owner).verifyStatement({}, { sha256, seen: [late], verifiers });
      // Old facts are sealed in this order: the entries of each account, then the ends of its charges.
      expect(statement.entries.map(({ entry: { kind } }) => kind)).toEqual([
        'top_up',
        'debit',
        'debit',
        'charged',
        'charged',
        'debit',
        'charged',
      ]);
      expect(await drift(own)).toBe(0n);
      expect((await own.get('/transparency/checkpoint')).body).toBe(late);
      // A client that has missed the logs in between gets an error.
      await expect(
        new Proofs(client).verifyLog({
          sha256,
          seen: [late.replace(/^.*/, '127.0.0.1:3999/transparency/0')],
        }),
      ).rejects.toThrow('does not show how its log follows');
      // Nobody can pass an older end of the first log off as its last one.
      const forged = late.replace('\n', '\n9');
      await expect(new Proofs(client).verifyLog({ sha256, seen: [forged], verifiers })).rejects.toThrow(
        ProofFailed,
      );
    } finally {
      await own.stop();
    }
  });

  it('is found by the reconciliation, where somebody slips in a charge that ended', async () => {
    const one = await victim();
    const before = await drift();

    for (const [state, times] of [
      ['charged', 'settled_at, null'],
      ['released', 'null, null'],
      ['refunded', `settled_at, settled_at - interval '1 hour'`],
    ] as const)
      await tamper(
        `insert into charge
         select (jsonb_populate_record(c, jsonb_build_object('id', 'ch_slipped_' || $2::text, 'state', $2::text,
           'settled_at', t.settled, 'refunded_at', t.refunded))).*
         from charge c cross join lateral (select ${times}) as t (settled, refunded) where c.id = $1`,
        [one.charges[1], state],
      );

    // The refunded charge lacks two leaves.
    expect((await drift()) - before).toBe(4n);
    await tamper(`delete from charge where id like 'ch_slipped_%'`, []);
    expect(await drift()).toBe(before);
  });
});

const addressOf = (world: World): Promise<string> => {
  const { port } = world.app.getHttpServer().address() as { port: number };
  return Promise.resolve(`http://127.0.0.1:${port}`);
};
