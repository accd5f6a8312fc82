import { type Micro, micro, microFromText } from '#kernel/money';
import { ifPresent, present } from '#kernel/present';
import { type OrdinalRow, byColumn, byOrdinal } from '#platform/database/batch-rows';
import { Database } from '#platform/database/database';
import { StatementBatcher } from '#platform/database/statement-batcher';
import type { SpendingKey } from '../charges/charge';
import { OPERATION } from '../charges/operation';
import { walletOf } from './account-id';

export interface Spendable {
  readonly balance: Micro;
  /** Undefined if no key is limited. */
  readonly keyLeft?: Micro;
  /** Undefined if the member has no budget. */
  readonly budgetLeft?: Micro;
}

interface SpendableRow {
  readonly balance: string | null;
  readonly key_left: string | null;
  readonly budget_left: string | null;
}

/** The money of an account or of a reserve, within the keys `counted` and the budget. */
const spendableBy = (account: string, counted: string, reserve: string, budget: string): string =>
  `select case when ${reserve} is null then a.balance_micro - a.reserved_micro else r.left_micro end as balance,
    (select min(key_left(level)) from unnest(string_to_array(${counted}, ',')) as level) as key_left,
    case when ${budget} is not null then key_left(${budget}) end as budget_left
  from (values (${account})) as wanted (id)
  left join ledger_account a on a.id = wanted.id
  left join key_reserve r on r.key_id = ${reserve} and r.ended_at is null`;

const SPENDABLE = spendableBy('$1::text', '$2::text', '$3::text', '$4::text');

/** The same for many funds, with the held calls that are charged by usage of each account. */
const SHARED_MANY = `select items.place, spendable.*, (select count(*)::integer from charge
    where state = 'held' and account_id = items.account and operation = '${OPERATION.byUse}') as open
  from unnest($1::text[], $2::text[], $3::text[], $4::text[])
    with ordinality as items (account, counted, reserve, budget, place)
  cross join lateral (${spendableBy('items.account', 'items.counted', 'items.reserve', 'items.budget')}) as spendable`;

interface Shared extends Spendable {
  readonly openCalls: number;
}

/** The account, the keys, the reserve and the budget of `SHARED_MANY`. */
type Funds = readonly [string, string | undefined, string | undefined, string | undefined];

/** The spending can exceed a limit that was lowered; then nothing is left. */
const leftIn = (text: string | null | undefined): Micro | undefined => {
  const left = ifPresent(present(text), BigInt);
  return left === undefined ? undefined : micro(left > 0n ? left : 0n);
};

const spendableOf = (row: SpendableRow | undefined): Spendable => ({
  balance: microFromText(row?.balance ?? '0'),
  keyLeft: leftIn(row?.key_left),
  budgetLeft: leftIn(row?.budget_left),
});

/** Reads balances, and what a payer may spend of them. Rails reach it by `ledger.balances`. */
export class BalanceRepository {
  private readonly shares = new StatementBatcher<Funds, Shared>({
    batch: (funds) => this.sharedMany(funds),
  });

  constructor(private readonly db: Database) {}

  async of(accountId: string): Promise<Micro> {
    const row = await this.db.one<{ balance: string }>(
      'select balance_micro - reserved_micro as balance from ledger_account where id = $1',
      [accountId],
      'ledger-balance',
    );
    return row === undefined ? micro(0n) : microFromText(row.balance);
  }

  /** Whether the account was ever paid: by a top-up, or by on-chain payments of the wallet. */
  async hasPaid(account: string): Promise<boolean> {
    const row = await this.db.one<{ paid: boolean }>(
      `select exists (select from ledger_entry where account_id = $1 and kind = 'top_up')
         or exists (select from x402_payer where payer = $2 and paid_in_micro > 0) as paid`,
      [account, walletOf(account) ?? ''],
      'ledger-has-paid',
    );
    return row?.paid === true;
  }

  /** The balances of many accounts at once; 0 for an account that never had money. */
  async ofMany(accounts: readonly string[]): Promise<ReadonlyMap<string, Micro>> {
    const rows = await this.db.rows<{ id: string; balance: string }>(
      'select id, balance_micro - reserved_micro as balance from ledger_account where id = any($1)',
      [accounts],
      'ledger-balances',
    );
    const balances = new Map(rows.map(({ id, balance }) => [id, microFromText(balance)]));
    return new Map(accounts.map((account) => [account, balances.get(account) ?? micro(0n)]));
  }

  /**
   * The money of a payer, in the account or in the key's reserve. `keyLeft` is the least spending left to the key and
   * the keys above it. `budgetLeft` is the rest of the member's budget.
   */
  async spendable(accountId: string, key?: SpendingKey, budgetId?: string): Promise<Spendable> {
    return spendableOf(
      await this.db.one<SpendableRow>(
        SPENDABLE,
        [accountId, key?.counted, key?.reserveId, budgetId],
        'ledger-spendable',
      ),
    );
  }

  /** The same money, and the held calls that are charged by usage of the account, which share it. */
  shared(accountId: string, key?: SpendingKey, budgetId?: string): Promise<Shared> {
    return this.shares.add([accountId, key?.counted, key?.reserveId, budgetId]);
  }

  private async sharedMany(funds: readonly Funds[]): Promise<(Shared | undefined)[]> {
    const rows = await this.db.rows<OrdinalRow & SpendableRow & { open: number }>(
      SHARED_MANY,
      byColumn(funds),
      'ledger-shared',
    );
    return byOrdinal(rows, funds.length, (row) => ({ ...spendableOf(row), openCalls: row.open }));
  }

  /** The reserved money of an account: for delegated keys, and for running by-use calls. */
  async reserved(accountId: string): Promise<Micro> {
    const row = await this.db.one<{ reserved: string }>(
      'select reserved_micro as reserved from ledger_account where id = $1',
      [accountId],
      'ledger-reserved',
    );
    return microFromText(row?.reserved ?? '0');
  }
}
