import { randomBytes, randomInt } from 'node:crypto';

import type { ChargeDraft } from '#money/billing/charges/charge';
import { AccountFunds } from '#money/billing/ledger/account-funds';
import { creditsAccount } from '#money/billing/ledger/account-id';
import { KeyReserveRepository } from '#money/billing/ledger/key-reserve.repository';
import { LedgerRepository } from '#money/billing/ledger/ledger.repository';
import { newId } from '#kernel/ids';
import { type Micro, micro } from '#kernel/money';
import { Database } from '#platform/database/database';
import { KeyCaller } from '../support/caller';
import { expectEventually } from '../support/eventually';
import { World } from '../support/world';

const BALANCE = micro(1_000n);
const PRICE = micro(600n);
const ROUNDS = 50;

/** A payer with enough money for only one of several concurrent calls. */
class Edge {
  readonly reserves: KeyReserveRepository;

  private constructor(
    private readonly world: World,
    readonly ownerId: string,
    readonly accountId: string,
  ) {
    this.reserves = new KeyReserveRepository(world.db);
  }

  static async of(world: World): Promise<Edge> {
    const { accountId } = await KeyCaller.register(world, 0n);
    const funds = world.app.get(AccountFunds, { strict: false });
    await funds.topUp(creditsAccount(accountId), BALANCE, `edge:${accountId}`);
    return new Edge(world, accountId, creditsAccount(accountId));
  }

  draft(operation: string, price: Micro = PRICE): ChargeDraft {
    return {
      id: newId('ch'),
      rail: 'api-key',
      operation,
      payer: this.ownerId,
      accountId: this.accountId,
      modelId: 'lumen-chat',
      price,
      list: price,
      discountPercent: 0,
      fingerprint: randomBytes(32),
      mark: undefined,
      tag: undefined,
    };
  }

  /** A key that gets a reserve. */
  async key(): Promise<string> {
    const id = newId('key');
    await this.world.db.rows(
      `insert into api_key (id, account_id, name, hash, prefix) values ($1, $2, 'n', $3, 'lp_')`,
      [id, this.ownerId, randomBytes(32)],
    );
    return id;
  }
}

type Move = (ledger: LedgerRepository, edge: Edge) => Promise<boolean>;

const MOVES: Readonly<Record<string, Move>> = {
  'a call': async (ledger, edge) => (await ledger.hold(edge.draft('chat'))).ok,
  'a stream': async (ledger, edge) => (await ledger.reserve(edge.draft('studio'))).ok,
  'the reserve of a key': async (_ledger, edge) => {
    const source = { account: edge.accountId, counted: [] };
    return (await edge.reserves.setAside(await edge.key(), PRICE, source)) === 'done';
  },
};

const PAIRS = Object.keys(MOVES).flatMap((one) => Object.keys(MOVES).map((other) => [one, other] as const));

describe('the edge of a balance', () => {
  let world: World;
  let db: Database;

  beforeAll(async () => {
    world = await World.start();
    db = world.app.get(Database, { strict: false });
  });

  afterEach(() => world.expectBooksToBalance());
  afterAll(() => world.stop());

  const waiting = async (): Promise<number> => {
    const [row] = await world.db.rows<{ n: number }>(
      `select count(*)::int as n from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`,
    );
    return row?.n ?? 0;
  };

  it.each(PAIRS)('pays %s or %s, and finds the other short', async (one, other) => {
    const edge = await Edge.of(world);
    // Two repositories act like two processes.
    const [mine, theirs] = [new LedgerRepository(db), new LedgerRepository(db)];
    let go: () => void = () => undefined;
    const gate = new Promise<void>((resolve) => (go = resolve));
    let written: () => void = () => undefined;
    const isWritten = new Promise<void>((resolve) => (written = resolve));
    const holding = db.transaction(async (queries) => {
      // This writes the row, so a waiting statement finds a newer version of it.
      await queries.rows('update ledger_account set balance_micro = balance_micro where id = $1', [
        edge.accountId,
      ]);
      written();
      await gate;
    });
    await isWritten;
    // Both begin at once, because the service ends a transaction that is idle for seconds.
    const moves = Promise.all([MOVES[one]!(mine, edge), MOVES[other]!(theirs, edge)]);
    await Promise.race([moves, expectEventually(async () => (await waiting()) >= 2)]).finally(go);

    const [paid] = await Promise.all([moves, holding]);
    expect(paid.filter(Boolean)).toHaveLength(1);
  });

  it('never breaks a rule of the tables, whatever comes at once at whatever price', async () => {
    const ledgers = Array.from({ length: 6 }, () => new LedgerRepository(db));
    const price = () => micro(BigInt(randomInt(1, 400)));
    const followed = async (ledger: LedgerRepository, draft: ChargeDraft): Promise<void> => {
      if (!(await ledger.reserve(draft)).ok) return;
      const next = randomInt(3);
      if (next === 0) await ledger.capture(draft.id, micro(5n));
      if (next === 1) await ledger.release(draft.id);
    };
    for (let round = 0; round < ROUNDS; round += 1) {
      const edge = await Edge.of(world);
      const keys = await Promise.all(ledgers.map(() => edge.key()));
      const source = { account: edge.accountId, counted: [] };
      const outcomes = await Promise.allSettled(
        ledgers.flatMap((ledger, at) => [
          ...[1, 2].map(() => ledger.hold(edge.draft('chat', price()))),
          ...[1, 2].map(() => followed(ledger, edge.draft('studio', price()))),
          edge.reserves.setAside(keys[at]!, price(), source),
        ]),
      );
      expect(outcomes.filter(({ status }) => status === 'rejected')).toEqual([]);
    }
  });
});
