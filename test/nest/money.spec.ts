import { DataSource, type EntityManager } from 'typeorm';

import { AccountFunds } from '#money/billing/ledger/account-funds';
import { creditsAccount } from '#money/billing/ledger/account-id';
import { BalanceTooLow, DebitKeyTaken } from '#money/billing/ledger/ledger.errors';
import { micro } from '#kernel/money';
import { SampleOrders } from '../extending/sample-orders/sample-orders.repository';
import { KeyCaller } from '../support/caller';
import { World } from '../support/world';

const FIVE = micro(5n);
const START = 1_000n;
const ALL = micro(START);

class ChangedItsMind extends Error {}

describe("money inside a transaction of a team's own", () => {
  let world: World;
  let source: DataSource;
  let funds: AccountFunds;
  let account: string;
  let mark: string;
  let caller: KeyCaller;

  beforeAll(async () => {
    world = await World.start();
    source = world.app.get(DataSource, { strict: false });
    funds = world.app.get(AccountFunds, { strict: false });
    await source.query('create table team_sale (id text primary key)');
  });

  beforeEach(async () => {
    caller = await KeyCaller.register(world, START);
    account = creditsAccount(caller.accountId);
    mark = `sale:${caller.accountId}`;
  });

  afterEach(() => world.expectBooksToBalance());
  afterAll(() => world.stop());

  const note = (manager: EntityManager): Promise<unknown> =>
    manager.query('insert into team_sale (id) values ($1)', [mark]);
  const noted = async (): Promise<number> =>
    (await source.query<unknown[]>('select from team_sale where id = $1', [mark])).length;
  /** The rows of the team, and the account's money. */
  const facts = async (): Promise<unknown> => [await noted(), await funds.balance(account)];
  const moves = {
    credit: (manager?: EntityManager) => funds.topUp(account, FIVE, mark, { manager }),
    debit: (manager?: EntityManager) => funds.debit(account, FIVE, mark, { manager }),
  };

  describe.each([
    { move: 'credit', after: START + 5n },
    { move: 'debit', after: START - 5n },
  ] as const)('a $move', ({ move, after }) => {
    it('commits with the rows beside it', async () => {
      await source.transaction(async (manager) => {
        await note(manager);
        expect(await moves[move](manager)).toBe(after);
        expect(await facts()).toEqual([0, START]);
      });

      expect(await facts()).toEqual([1, after]);
      const [newest] = (await funds.page(account, { limit: 1 })).entries;
      expect([newest?.kind, newest?.amount, newest?.balanceAfter, newest?.chargeId]).toEqual([
        move === 'credit' ? 'top_up' : 'debit',
        FIVE,
        after,
        undefined,
      ]);
    });

    it('is undone with the rows beside it, and can be tried again', async () => {
      const sold = source.transaction(async (manager) => {
        await note(manager);
        await moves[move](manager);
        throw new ChangedItsMind();
      });

      await expect(sold).rejects.toBeInstanceOf(ChangedItsMind);
      expect(await facts()).toEqual([0, START]);
      expect((await funds.page(account, { limit: 10 })).entries).toHaveLength(1);
      expect(await source.transaction((manager) => moves[move](manager))).toBe(after);
    });

    it('is undone when the commit of the team fails at the end', async () => {
      await note(source.manager);
      const sold = source.transaction(async (manager) => {
        await moves[move](manager);
        await note(manager);
      });

      await expect(sold).rejects.toMatchObject({ code: '23505' });
      expect(await facts()).toEqual([1, START]);
    });

    it('happens once for its mark, in one transaction, in two, and without one', async () => {
      const twice = await source.transaction(async (manager) => [
        await moves[move](manager),
        await moves[move](manager),
      ]);
      const again = await source.transaction(async (manager) => {
        const repeated = await moves[move](manager);
        await note(manager);
        return repeated;
      });

      expect([...twice, again, await moves[move]()]).toEqual([after, undefined, undefined, undefined]);
      expect(await facts()).toEqual([1, after]);
    });

    it('happens once when the same mark comes many times at once, and each transaction goes on', async () => {
      const answers = await Promise.all(
        Array.from({ length: 8 }, (_, place) =>
          source.transaction(async (manager) => {
            const answer = await moves[move](manager);
            await manager.query('insert into team_sale (id) values ($1)', [`${mark}:${place}`]);
            return answer;
          }),
        ),
      );

      expect(answers.filter((answer) => answer !== undefined)).toEqual([after]);
      expect(await funds.balance(account)).toBe(after);
      const rows = await source.query<unknown[]>('select from team_sale where id like $1', [`${mark}:%`]);
      expect(rows).toHaveLength(8);
    });

    it('works without a transaction', async () => {
      expect(await moves[move]()).toBe(after);
      expect(await moves[move](source.manager)).toBeUndefined();
    });
  });

  it('never goes below zero, and leaves the transaction usable', async () => {
    await source.transaction(async (manager) => {
      const tooMuch = funds.debit(account, micro(START + 1n), mark, { manager });
      await expect(tooMuch).rejects.toBeInstanceOf(BalanceTooLow);
      await note(manager);
    });

    expect(await facts()).toEqual([1, START]);
  });

  it('never goes below zero when more is wanted at once than is there', async () => {
    const answers = await Promise.allSettled(
      Array.from({ length: 6 }, (_, place) =>
        source.transaction((manager) =>
          funds.debit(account, micro(START / 4n), `${mark}:${place}`, { manager }),
        ),
      ),
    );

    const reasons = answers.flatMap((each) => (each.status === 'rejected' ? [each.reason as unknown] : []));
    expect(reasons).toEqual([expect.any(BalanceTooLow), expect.any(BalanceTooLow)]);
    expect(await funds.balance(account)).toBe(0n);
  });

  it('leaves what is set aside for a key alone', async () => {
    await source.query('update ledger_account set reserved_micro = 10 where id = $1', [account]);
    try {
      await expect(funds.debit(account, ALL, mark)).rejects.toBeInstanceOf(BalanceTooLow);
      expect(await funds.debit(account, micro(START - 10n), mark)).toBe(0n);
    } finally {
      await source.query('update ledger_account set reserved_micro = 0 where id = $1', [account]);
    }
  });

  it('knows a debit that took the last of the money when it comes again', async () => {
    await source.transaction((manager) => funds.debit(account, ALL, mark, { manager }));

    const again = source.transaction((manager) => funds.debit(account, ALL, mark, { manager }));
    await expect(again).resolves.toBeUndefined();
    const atOnce = await Promise.all([funds.debit(account, ALL, mark), funds.debit(account, ALL, mark)]);
    expect(atOnce).toEqual([undefined, undefined]);
  });

  it('knows it, too, when both come at once', async () => {
    const both = await Promise.all([
      funds.debit(account, ALL, mark),
      source.transaction((manager) => funds.debit(account, ALL, mark, { manager })),
    ]);

    expect(both.filter((answer) => answer !== undefined)).toEqual([0n]);
  });

  it('refuses a mark that belongs to another debit', async () => {
    await funds.debit(account, FIVE, mark);

    await expect(funds.debit(account, micro(6n), mark)).rejects.toBeInstanceOf(DebitKeyTaken);
    expect(await funds.balance(account)).toBe(START - 5n);
  });

  it('keeps marks of debits apart from sources of credits', async () => {
    expect(await funds.debit(account, FIVE, mark)).toBe(START - 5n);
    expect(await funds.topUp(account, FIVE, mark)).toBe(START);
  });

  it('pays for the orders of the documentation, and stores none that the balance does not cover', async () => {
    await source.query('create table sample_order (id text primary key, pages int not null)');
    const orders = new SampleOrders(source, funds);

    await orders.sell(caller.accountId, mark, 4);
    const refused = orders.sell(caller.accountId, `${mark}:more`, 7);

    await expect(refused).rejects.toBeInstanceOf(BalanceTooLow);
    expect(await source.query('select id, pages from sample_order')).toEqual([{ id: mark, pages: 4 }]);
    expect(await funds.balance(account)).toBe(START - 400n);
  });

  it('says 402 to a caller whose balance is too low, without a charge', async () => {
    const refused = await funds.debit(account, micro(START + 1n), mark).catch((error: unknown) => error);

    expect(refused).toMatchObject({ kind: 'payment_required', code: 'INSUFFICIENT_FUNDS' });
  });

  it('shows its owner the debit among the transactions', async () => {
    await funds.debit(account, FIVE, mark);

    const { status, body } = await world.get('/v1/account/billing/transactions', { cookie: caller.cookie });
    expect([status, body.transactions[0]]).toEqual([
      200,
      expect.objectContaining({ kind: 'debit', amountMicro: 5, balanceAfterMicro: Number(START) - 5 }),
    ]);
    expect(JSON.stringify(body)).not.toContain(mark);
  });
});
