import { Injectable } from '@nestjs/common';
import type { QueryResultRow } from 'pg';
import type { EntityManager } from 'typeorm';

import { type Micro, microFromText } from '#kernel/money';
import { ifPresent } from '#kernel/present';
import { StatementBatcher, SerialQueue } from '#platform/database/statement-batcher';
import { Database } from '#platform/database/database';
import { constraintOf } from '#platform/database/error-fields';
import { type OrdinalRow, byColumn, byOrdinal } from '#platform/database/batch-rows';
import type { ChargeDraft, HeldPrepaid, MeasuredUse, SettledAnswer } from '../charges/charge';
import { BalanceRepository } from './balance.repository';
import { refusalOf } from './ledger-refusals';
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

/** The transaction of a money move. */
export interface Within {
  readonly manager?: EntityManager;
}

interface BalanceRow {
  readonly id: string;
  readonly balance: string;
}

/** The result of a draft; a draft whose payer has ended has no balance. */
type SecuredRow = BalanceRow | { readonly id: string; readonly balance: null };

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
  readonly balances: BalanceRepository;

  constructor(private readonly db: Database) {
    this.balances = new BalanceRepository(db);
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
      if (['key-limit', 'budget', 'short'].includes(refusalOf(error) ?? '')) return undefined;
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
      const reason = refusalOf(error);
      if (reason !== undefined) return { ok: false, reason };
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
}
