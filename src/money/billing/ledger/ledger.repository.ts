import { Injectable } from '@nestjs/common';
import type { QueryResultRow } from 'pg';
import type { EntityManager } from 'typeorm';

import { type Micro, micro, microFromText } from '#kernel/money';
import { ifPresent, present } from '#kernel/present';
import { StatementBatcher, SerialQueue } from '#platform/database/statement-batcher';
import { Database } from '#platform/database/database';
import { constraintOf, sqlStateOf } from '#platform/database/error-fields';
import { type OrdinalRow, byColumn, byOrdinal } from '#platform/database/batch-rows';
import { SqlState } from '#platform/database/sql-state';
import { tableOf } from '#platform/database/table';
import type { ChargeDraft, HeldPrepaid, MeasuredUse, SettledAnswer, SpendingKey } from '../charges/charge';
import { OPERATION } from '../charges/operation';
import { walletOf } from './account-id';
import { ENDED_RESERVES, GIVE_BACK_RESERVE, SET_ASIDE } from './key-reserve.sql';
import { LedgerEntry, type NetworkEntry } from './ledger-entry.entity';
import { BalanceTooLow, DebitKeyTaken } from './ledger.errors';
import {
  CAPTURE_MANY,
  DEBIT_FOR_MODULE,
  DRAFTS,
  EXTEND_ONE,
  HOLD_MANY,
  HOLD_ONE,
  MODULE_DEBIT,
  REFUND_ONE,
  RELEASE_ONE,
  RESERVE_MANY,
  SETTLE_JOBS,
  SETTLE_MANY,
  SETTLE_ONE,
  CREDIT_TOP_UP,
} from './ledger.sql';

/** The SQLSTATE that Postgres raises if a call would exceed a key's spend limit. */
const KEY_LIMIT = 'LP001';
/** The SQLSTATE that Postgres raises if a call would exceed a member's budget. */
const BUDGET_SPENT = 'LP012';
/** The SQLSTATE that Postgres raises if a payer ended while the call waited for the account's row. */
const PAYER_ENDED = 'LP002';

/**
 * The SQLSTATEs that Postgres raises if a newer retry arrived while the call waited, or if the call before a retry has
 * its charge.
 */
const OVERTAKEN = 'LP009';
const HELD_BEFORE = 'LP010';

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
const SHARED_MANY = `select looks.place, spendable.*, (select count(*)::integer from charge
    where state = 'held' and account_id = looks.account and operation = '${OPERATION.byUse}') as open
  from unnest($1::text[], $2::text[], $3::text[], $4::text[])
    with ordinality as looks (account, counted, reserve, budget, place)
  cross join lateral (${spendableBy('looks.account', 'looks.counted', 'looks.reserve', 'looks.budget')}) as spendable`;

interface Shared extends Spendable {
  readonly openCalls: number;
}

/** The account, the keys, the reserve and the budget of `SHARED_MANY`. */
type Funds = readonly [string, string | undefined, string | undefined, string | undefined];

/** The network of an entry, from its payment or its channel. */
export const NETWORK = `coalesce(
  (select p.network from x402_payment p
    where p.charge_id = coalesce(ledger_entry.charge_id, case when source like 'x402:%' then substr(source, 6) end)),
  (select n.network from channel_voucher v join channel n on n.id = v.channel_id
    where v.charge_id = ledger_entry.charge_id))`;

/** The transaction of a money move. */
export interface Within {
  readonly manager?: EntityManager;
}

/** The source of a reserve's money, and the keys and the budget that the reserve counts against. */
export interface ReserveSource {
  readonly account: string;
  readonly counted: readonly string[];
  /** The key from whose reserve the money comes; undefined if it comes from the account. */
  readonly outOf?: string;
}

interface BalanceRow {
  readonly id: string;
  readonly balance: string;
}

/** The result of a draft; a draft whose payer has ended has no balance. */
type SecuredRow = BalanceRow | { readonly id: string; readonly balance: null };

const ENTRIES = tableOf(LedgerEntry);

interface Capture {
  readonly chargeId: string;
  readonly used: Micro;
  readonly use: MeasuredUse;
  readonly replay: SettledAnswer['replay'];
}

const settleValues = ({ chargeId, watched, replay }: SettledAnswer): unknown[] => [
  chargeId,
  replay?.status,
  replay?.sealed,
  replay?.seconds,
  watched,
];

const securedFrom = ({ balance }: SecuredRow): HeldPrepaid =>
  balance === null ? { ok: false, reason: 'ended' } : { ok: true, balance: microFromText(balance) };

/** Constraints that an excessive debit violates. Postgres then writes nothing, and the result is `short`. */
const SHORT = ['ledger_account_never_negative', 'ledger_account_reserve', 'key_reserve_left'];

const isShort = (error: unknown): boolean =>
  sqlStateOf(error) === SqlState.checkViolation && SHORT.includes(constraintOf(error) ?? '');

/** The spending can exceed a limit that was lowered; then nothing is left. */
const leftIn = (text: string | null | undefined): Micro | undefined => {
  const left = ifPresent(present(text), BigInt);
  return left === undefined ? undefined : micro(left > 0n ? left : 0n);
};

const isSecond = (error: unknown): boolean => constraintOf(error) === 'ledger_entry_once_per_source';

/**
 * Debits and credits balances. Each change is one statement that also writes the ledger entry. Outside of this class,
 * only statements with `CREDIT_INCOMING` change a balance.
 */
@Injectable()
export class LedgerRepository {
  private readonly holds: StatementBatcher<ChargeDraft, HeldPrepaid>;
  private readonly settlements: StatementBatcher<SettledAnswer, boolean>;
  private readonly reserves: StatementBatcher<ChargeDraft, HeldPrepaid>;
  private readonly captures: StatementBatcher<Capture, Micro | undefined>;
  private readonly shares = new StatementBatcher<Funds, Shared>({
    batch: (funds) => this.sharedMany(funds),
  });

  constructor(private readonly db: Database) {
    const queue = new SerialQueue();
    this.holds = new StatementBatcher({
      queue,
      batch: (drafts) => this.secureMany(HOLD_MANY, drafts, 'ledger-hold-many'),
      alone: (draft) => this.holdOne(draft),
    });
    this.reserves = new StatementBatcher({
      queue,
      batch: (drafts) => this.secureMany(RESERVE_MANY, drafts, 'ledger-reserve'),
      alone: (draft) => this.secure(RESERVE_MANY, DRAFTS.valuesOf([draft]), 'ledger-reserve'),
    });
    this.captures = new StatementBatcher<Capture, Micro | undefined>({
      queue,
      batch: (captures) => this.captureMany(captures),
    });
    this.settlements = new StatementBatcher({
      queue,
      batch: (answers) => this.settleMany(answers),
      alone: (answer) => this.settleOne(answer),
    });
  }

  /**
   * Debits the price, writes the ledger entry and opens the charge. Concurrent holds share a statement and a commit.
   */
  hold(draft: ChargeDraft): Promise<HeldPrepaid> {
    return this.holds.add(draft);
  }

  /** Holds one call in a separate statement. */
  holdOne(draft: ChargeDraft): Promise<HeldPrepaid> {
    return this.secure(HOLD_ONE, DRAFTS.rowOf(draft), 'ledger-hold-one');
  }

  /** Reserves the worst case of a by-use call. `capture` debits the use later. */
  reserve(draft: ChargeDraft): Promise<HeldPrepaid> {
    return this.reserves.add(draft);
  }

  /**
   * Reserves the amount for a by-use call, once. Returns all that is then held; undefined if the payer has too little or has
   * ended, or if the charge is decided.
   */
  async extend({ id, proof }: Pick<ChargeDraft, 'id' | 'proof'>, amount: Micro): Promise<Micro | undefined> {
    try {
      const row = await this.db.one<{ held: string }>(EXTEND_ONE, [id, amount, proof], 'ledger-extend');
      return ifPresent(row?.held, microFromText);
    } catch (error) {
      const state = sqlStateOf(error);
      if (state === KEY_LIMIT || state === BUDGET_SPENT || isShort(error)) return undefined;
      throw error;
    }
  }

  /**
   * Debits the use of a by-use call, at most what is held, and stores the measured tokens. Undefined if the charge
   * was already decided.
   */
  capture(
    chargeId: string,
    used: Micro,
    replay?: SettledAnswer['replay'],
    use: MeasuredUse = {},
  ): Promise<Micro | undefined> {
    return this.captures.add({ chargeId, used, use, replay });
  }

  private async captureMany(captures: readonly Capture[]): Promise<(Micro | undefined)[]> {
    const values = byColumn(
      captures.map(({ chargeId, used, use: { billed, tokens }, replay }) => [
        chargeId,
        used,
        replay?.status,
        replay?.sealed,
        replay?.seconds,
        billed,
        tokens?.input,
        tokens?.output,
      ]),
    );
    const rows = await this.db.rows<OrdinalRow & Pick<BalanceRow, 'balance'>>(
      CAPTURE_MANY,
      values,
      'ledger-capture',
    );
    return byOrdinal(rows, captures.length, ({ balance }) => microFromText(balance));
  }

  private async secure(statement: string, values: readonly unknown[], name: string): Promise<HeldPrepaid> {
    try {
      const row = await this.db.one<SecuredRow>(statement, values, name);
      return row === undefined ? { ok: false, reason: 'short' } : securedFrom(row);
    } catch (error) {
      if (sqlStateOf(error) === KEY_LIMIT) return { ok: false, reason: 'key-limit' };
      if (sqlStateOf(error) === BUDGET_SPENT) return { ok: false, reason: 'budget' };
      if (sqlStateOf(error) === PAYER_ENDED) return { ok: false, reason: 'ended' };
      if (sqlStateOf(error) === OVERTAKEN) return { ok: false, reason: 'overtaken' };
      if (sqlStateOf(error) === HELD_BEFORE) return { ok: false, reason: 'duplicate' };
      if (isShort(error)) return { ok: false, reason: 'short' };
      if (sqlStateOf(error) === SqlState.uniqueViolation && constraintOf(error) === 'charge_mark')
        return { ok: false, reason: 'duplicate' };
      throw error;
    }
  }

  private async secureMany(
    statement: string,
    drafts: readonly ChargeDraft[],
    name: string,
  ): Promise<(HeldPrepaid | undefined)[]> {
    const rows = await this.db.rows<SecuredRow>(statement, DRAFTS.valuesOf(drafts), name);
    const secured = new Map(rows.map((row) => [row.id, securedFrom(row)]));
    return drafts.map(({ id }) => secured.get(id));
  }

  /** False if the charge was not held any more, because another process decided it. */
  settle(answer: SettledAnswer): Promise<boolean> {
    return this.settlements.add(answer);
  }

  private async settleOne(answer: SettledAnswer): Promise<boolean> {
    if (answer.jobId !== undefined) return (await this.settleMany([answer]))[0] === true;
    return (await this.db.rows(SETTLE_ONE, settleValues(answer), 'ledger-settle-one')).length === 1;
  }

  private async settleMany(answers: readonly SettledAnswer[]): Promise<boolean[]> {
    const values = byColumn(answers.map((answer) => [...settleValues(answer), answer.jobId]));
    const rows = await (answers.some(({ jobId }) => jobId !== undefined)
      ? this.db.rows<OrdinalRow>(SETTLE_JOBS, values, 'ledger-settle-jobs')
      : this.db.rows<OrdinalRow>(SETTLE_MANY, values, 'ledger-settle'));
    const moved = byOrdinal(rows, answers.length, () => true);
    return answers.map((_, at) => moved[at] === true);
  }

  /** Undoes a hold, and returns the balance after it. Undefined if the charge was no longer held. */
  release(chargeId: string): Promise<Micro | undefined> {
    return this.reverse(RELEASE_ONE, chargeId, 'ledger-release');
  }

  /** Undoes a settled charge, once. */
  refund(chargeId: string): Promise<Micro | undefined> {
    return this.reverse(REFUND_ONE, chargeId, 'ledger-refund');
  }

  private async reverse(statement: string, chargeId: string, name: string): Promise<Micro | undefined> {
    const row = await this.db.one<BalanceRow>(statement, [chargeId], name);
    return row === undefined ? undefined : microFromText(row.balance);
  }

  /** Credits money from outside, once for each source. Undefined if the source was already credited. */
  async topUp(
    accountId: string,
    amount: Micro,
    source: string,
    transaction?: string,
    manager?: EntityManager,
  ): Promise<Micro | undefined> {
    try {
      const row = await this.one<BalanceRow>(
        CREDIT_TOP_UP,
        [accountId, amount, source, transaction],
        'ledger-top-up',
        manager,
      );
      return microFromText(row?.balance ?? '0');
    } catch (error) {
      if (isSecond(error)) return undefined;
      throw error;
    }
  }

  /** Takes money without a charge, once for each `mark`. Undefined if the mark was already debited. */
  async debit(
    accountId: string,
    amount: Micro,
    mark: string,
    manager?: EntityManager,
  ): Promise<Micro | undefined> {
    const source = `debit:${mark}`;
    try {
      const row = await this.one<BalanceRow>(
        DEBIT_FOR_MODULE,
        [accountId, amount, source],
        'ledger-debit',
        manager,
      );
      if (row !== undefined) return microFromText(row.balance);
    } catch (error) {
      if (!isSecond(error)) throw error;
    }
    // Too little money is no error if an equal debit has already taken it.
    const before = await this.one<{ id: string; amount: string }>(
      MODULE_DEBIT,
      [source],
      'ledger-debit-of',
      manager,
    );
    if (before === undefined) throw new BalanceTooLow(amount);
    if (before.id !== accountId || microFromText(before.amount) !== amount) throw new DebitKeyTaken(mark);
    return undefined;
  }

  private one<Row extends QueryResultRow>(
    text: string,
    values: readonly unknown[],
    name: string,
    manager: EntityManager | undefined,
  ): Promise<Row | undefined> {
    return manager === undefined
      ? this.db.one<Row>(text, values, name)
      : this.db.oneWithin<Row>(manager, text, values);
  }

  async balance(accountId: string): Promise<Micro> {
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
  async balances(accounts: readonly string[]): Promise<ReadonlyMap<string, Micro>> {
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

  /** Reserves money for a key, once. `short` if the account, or the reserve of a key above, has too little. */
  async setAside(
    keyId: string,
    amount: Micro,
    from: ReserveSource,
  ): Promise<'done' | 'short' | 'key-limit' | 'budget'> {
    const values = [keyId, from.account, amount, from.counted, from.outOf];
    try {
      if ((await this.db.one(SET_ASIDE, values, 'ledger-set-aside')) !== undefined) return 'done';
      // An equal call may have made the reserve with the last money.
      const mine = 'select from key_reserve where key_id = $1';
      return (await this.db.one(mine, [keyId], 'ledger-reserve-of')) === undefined ? 'short' : 'done';
    } catch (error) {
      if (sqlStateOf(error) === KEY_LIMIT) return 'key-limit';
      if (sqlStateOf(error) === BUDGET_SPENT) return 'budget';
      if (isShort(error)) return 'short';
      // Two equal calls ran at once, and the other one has made the reserve.
      if (sqlStateOf(error) === SqlState.uniqueViolation) return 'done';
      throw error;
    }
  }

  /** Ended keys that still have a reserve. */
  async endedReserves(most: number): Promise<readonly string[]> {
    const ended = await this.db.rows<{ id: string }>(ENDED_RESERVES, [most], 'ledger-ended-reserves');
    return ended.map(({ id }) => id);
  }

  async giveBackReserve(keyId: string): Promise<void> {
    await this.db.one(GIVE_BACK_RESERVE, [keyId], 'ledger-give-back-reserve');
  }

  /** The reserved money of an account: for delegated keys, and for running by-use calls. */
  async setAsideOf(accountId: string): Promise<Micro> {
    const row = await this.db.one<{ reserved: string }>(
      'select reserved_micro as reserved from ledger_account where id = $1',
      [accountId],
      'ledger-reserved',
    );
    return microFromText(row?.reserved ?? '0');
  }

  /** Newest first; `before` is the sequence of the last entry of the previous page. */
  async entries(
    accountId: string,
    limit: number,
    before?: bigint,
    kind?: LedgerEntry['kind'],
  ): Promise<NetworkEntry[]> {
    const rows = await this.db.rows<{ network: string | null }>(
      `select ${ENTRIES.columns}, ${NETWORK} as network from ledger_entry
       where account_id = $1 and ($3::bigint is null or seq < $3) and ($4::text is null or kind = $4)
       order by seq desc limit $2`,
      [accountId, limit, before, kind],
      'ledger-entries',
    );
    return rows.map((row) => ({ ...ENTRIES.read(row), network: row.network ?? undefined }));
  }
}

const spendableOf = (row: SpendableRow | undefined): Spendable => ({
  balance: microFromText(row?.balance ?? '0'),
  keyLeft: leftIn(row?.key_left),
  budgetLeft: leftIn(row?.budget_left),
});
