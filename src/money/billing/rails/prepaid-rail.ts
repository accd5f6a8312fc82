import type { FastifyRequest } from 'fastify';

import { type Micro, micro, smaller, usdText } from '#kernel/money';
import type {
  ChargeDraft,
  Held,
  MeasuredUse,
  SettledAnswer,
  SpendingKey,
  WorkOutcome,
} from '../charges/charge';
import type { Charge } from '../charges/charge.entity';
import {
  type Cost,
  InsufficientFunds,
  KeySpendLimit,
  MemberBudgetSpent,
  leastShortLimitWords,
  leastShortWords,
  shortLimitWords,
  shortWords,
} from '../charges/funds.errors';
import type { Spendable } from '../ledger/balance.repository';
import type { LedgerRepository } from '../ledger/ledger.repository';
import type { PayableCall } from './payable-call';
import type { Payer } from './payer';
import { type Captured, PaymentRail, type Settlement } from './rail';

/** A ledger account, and the key that spends from it. */
interface Funds {
  readonly ledgerAccount?: string;
  readonly key?: SpendingKey;
}

const neededFor = ({ least, price, priced }: PayableCall): Micro => least ?? price ?? priced.list;

const costOf = ({ most, route }: PayableCall, needed: Micro): Cost => ({
  price: needed,
  most: route.answer === 'by-use' ? (most ?? needed) : undefined,
});

/** A rail with prepaid money: a hold is a debit, a settlement is a state change. */
export abstract class PrepaidRail extends PaymentRail {
  constructor(
    protected readonly ledger: LedgerRepository,
    /** The least price of any call. */
    private readonly least: Micro,
    private readonly topUp: string,
    /** The page for changing keys; unused by a rail without keys. */
    private readonly manageKeys = topUp,
  ) {
    super();
  }

  /** The payer that the headers alone prove. */
  abstract payerOf(request: FastifyRequest): Promise<Payer>;

  /**
   * Returns the proven payers whose credential has ended. By default there are none, because a signature remains valid.
   */
  endedOf(_payers: readonly Payer[]): Promise<readonly Payer[]> {
    return Promise.resolve([]);
  }

  identify({ request }: PayableCall): Promise<Payer> {
    return this.payerOf(request);
  }

  async provenPayerOf(request: FastifyRequest): Promise<string> {
    const payer = await this.payerOf(request);
    const { balance } = await this.requireRoom(payer, this.least, (left) =>
      leastShortLimitWords(this.least, left, this.manageKeys),
    );
    const extras = { links: { topUp: this.topUp } };
    if (balance < this.least)
      throw new InsufficientFunds(this.least, balance, extras, leastShortWords(this.least, balance, extras));
    return payer.id;
  }

  /** The money of a payer: the whole balance of an account or a wallet, or the rest of a delegated key's limit. */
  async balance({ ledgerAccount = '', key }: Funds): Promise<Micro> {
    if (key?.isDelegated !== true) return this.ledger.balances.of(ledgerAccount);
    const { balance, keyLeft } = await this.ledger.balances.spendable(ledgerAccount, key);
    return keyLeft === undefined || balance < keyLeft ? balance : keyLeft;
  }

  async requireFunds(call: PayableCall): Promise<boolean> {
    const payer = call.payer!;
    const needed = call.least ?? call.price!;
    const { balance } = await this.requireRoom(payer, needed, (left) =>
      shortLimitWords(costOf(call, needed), left, this.manageKeys),
    );
    if (balance < needed) throw await this.shortOf(call, payer);
    return true;
  }

  /** A key at its limit, or a member at their budget, has no money, whatever the account's balance is. */
  private async requireRoom(
    payer: Payer,
    needed: Micro,
    limitWords: (left: Micro) => string,
  ): Promise<{ readonly balance: Micro }> {
    const { balance, keyLeft, budgetLeft } = await this.spendable(payer);
    const isReserve = payer.key?.reserveId !== undefined;
    if ((keyLeft !== undefined && keyLeft < needed) || (isReserve && balance < needed))
      throw new KeySpendLimit(this.manageKeys, limitWords(smaller(balance, keyLeft ?? balance)));
    if (budgetLeft !== undefined && budgetLeft < needed) throw new MemberBudgetSpent();
    return { balance };
  }

  override async overLimit(call: PayableCall, payer: Payer): Promise<Error> {
    const needed = neededFor(call);
    const { balance, keyLeft = balance } = await this.spendable(payer);
    return new KeySpendLimit(
      this.manageKeys,
      shortLimitWords(costOf(call, needed), smaller(balance, keyLeft), this.manageKeys),
    );
  }

  private spendable({ ledgerAccount = '', key, budgetId }: Payer): Promise<Spendable> {
    return this.ledger.balances.spendable(ledgerAccount, key, budgetId);
  }

  async shortOf(call: PayableCall, payer: Payer): Promise<Error> {
    const needed = neededFor(call);
    const balance = await this.balance(payer);
    const extras = {
      links: { topUp: this.topUp },
      headers: { 'x-balance-micro': balance.toString(), 'x-balance-remaining': usdText(balance) },
    };
    return new InsufficientFunds(needed, balance, extras, shortWords(costOf(call, needed), balance, extras));
  }

  hold(_call: PayableCall, draft: ChargeDraft): Promise<Held> {
    return withoutBalance(draft, this.ledger.hold(draft));
  }

  override reserve(_call: PayableCall, draft: ChargeDraft): Promise<Held> {
    return withoutBalance(draft, this.ledger.reserve(draft));
  }

  override async roomOf({ accountId = '', key, budgetId }: ChargeDraft): Promise<Micro> {
    return roomIn(await this.ledger.balances.spendable(accountId, key, budgetId));
  }

  override async shareOf({ accountId = '', key, budgetId }: ChargeDraft): Promise<Micro> {
    const { openCalls, ...spendable } = await this.ledger.balances.shared(accountId, key, budgetId);
    return micro(roomIn(spendable) / BigInt(Math.max(1, openCalls)));
  }

  override extend(draft: ChargeDraft, amount: Micro): Promise<Micro | undefined> {
    return this.ledger.extend(draft, amount);
  }

  override async capture(
    _draft: ChargeDraft,
    { chargeId, replay }: SettledAnswer,
    used: Micro,
    use?: MeasuredUse,
  ): Promise<Captured | undefined> {
    const left = await (used > 0n
      ? this.ledger.capture(chargeId, used, replay, use)
      : this.ledger.release(chargeId));
    return left === undefined ? undefined : { left };
  }

  async settle(_call: PayableCall, draft: ChargeDraft, answer: SettledAnswer): Promise<Settlement> {
    const moved = await this.ledger.settle(answer);
    return moved
      ? { outcome: 'charged', headers: {} }
      : { outcome: 'unknown', error: new Error(`Charge ${draft.id} was decided by somebody else.`) };
  }

  async release(chargeId: string): Promise<boolean> {
    return (await this.ledger.release(chargeId)) !== undefined;
  }

  async refund(chargeId: string): Promise<boolean> {
    return (await this.ledger.refund(chargeId)) !== undefined;
  }

  async recover(charge: Charge, work: WorkOutcome): Promise<void> {
    if (work === 'done') {
      await this.ledger.settle({ chargeId: charge.id, jobId: charge.jobId, watched: true });
    } else if (work === 'not-done') {
      await this.ledger.release(charge.id);
    }
  }
}

/** A delegated key must not learn the balance of its account. */
const withoutBalance = ({ key }: ChargeDraft, holding: Promise<Held>): Promise<Held> =>
  key?.isDelegated === true ? holding.then((held) => (held.ok ? { ok: true } : held)) : holding;

const roomIn = ({ balance, keyLeft = balance, budgetLeft = balance }: Spendable): Micro =>
  smaller(balance, smaller(keyLeft, budgetLeft));
