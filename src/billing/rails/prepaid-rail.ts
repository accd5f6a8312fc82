import type { FastifyRequest } from 'fastify';

import { type Micro, usdText } from '../../kernel/money';
import type { MaybePromise } from '../../kernel/maybe-promise';
import type { ChargeDraft, Held, SettledAnswer, SpendingKey, WorkOutcome } from '../charges/charge';
import type { Charge } from '../charges/charge.entity';
import { InsufficientFunds, KeySpendLimit } from '../charges/funds.errors';
import type { LedgerRepository } from '../ledger/ledger.repository';
import type { PayableCall } from './payable-call';
import type { Payer } from './payer';
import { PaymentRail, type Settlement } from './rail';

/** Where money is, and the key that asks for it. */
interface Funds {
  readonly ledgerAccount?: string;
  readonly key?: SpendingKey;
}

/** A rail whose money is already with us: a hold is a debit, a settlement a change of state. */
export abstract class PrepaidRail extends PaymentRail {
  constructor(
    protected readonly ledger: LedgerRepository,
    /** The least that any call costs. */
    private readonly least: Micro,
    private readonly topUp: string,
    /** Where keys are changed; of no use to a rail that has none. */
    private readonly manageKeys = topUp,
  ) {
    super();
  }

  /** Who a request proves to be, from its headers alone. */
  abstract payerOf(request: FastifyRequest): MaybePromise<Payer>;

  /** Of those whom rails have proven, whom this one knows could not be proven any more. What was signed once was signed. */
  endedOf(_payers: readonly Payer[]): Promise<readonly Payer[]> {
    return Promise.resolve([]);
  }

  identify({ request }: PayableCall): MaybePromise<Payer> {
    return this.payerOf(request);
  }

  async backerOf(request: FastifyRequest): Promise<string> {
    const payer = await this.payerOf(request);
    const balance = await this.balance(payer);
    if (balance < this.least)
      throw new InsufficientFunds(this.least, balance, { links: { topUp: this.topUp } });
    return payer.id;
  }

  /** What is theirs: of an account or a wallet all of it, and of a key that money was handed to what that may spend. */
  async balance({ ledgerAccount = '', key }: Funds): Promise<Micro> {
    if (key?.isDelegated !== true) return this.ledger.balance(ledgerAccount);
    const { balance, keyLeft } = await this.ledger.spendable(ledgerAccount, key);
    return keyLeft === undefined || balance < keyLeft ? balance : keyLeft;
  }

  /** A key that may spend no more has no money either, whatever its account holds. */
  async requireCover(call: PayableCall): Promise<boolean> {
    const payer = call.payer!;
    const { balance, keyLeft } = await this.ledger.spendable(payer.ledgerAccount ?? '', payer.key);
    const isOver = keyLeft !== undefined && keyLeft < call.price!;
    if (isOver || (balance < call.price! && payer.key?.reserveId !== undefined))
      throw new KeySpendLimit(this.manageKeys);
    if (balance < call.price!) throw await this.shortOf(call, payer);
    return true;
  }

  shortOf({ price, priced }: PayableCall, payer: Payer): MaybePromise<Error> {
    return this.insufficient(price ?? priced.list, payer);
  }

  async insufficient(price: Micro, funds: Funds): Promise<InsufficientFunds> {
    const balance = await this.balance(funds);
    return new InsufficientFunds(price, balance, {
      links: { topUp: this.topUp },
      headers: { 'x-balance-micro': balance.toString(), 'x-balance-remaining': usdText(balance) },
    });
  }

  hold(_call: PayableCall, draft: ChargeDraft): Promise<Held> {
    return told(draft, this.ledger.hold(draft));
  }

  /** Sets the worst case of a call aside whose price is known only at its end. */
  reserve(draft: ChargeDraft): Promise<Held> {
    return told(draft, this.ledger.reserve(draft));
  }

  /** Takes what was used out of it, or releases all of it. Undefined when somebody else has decided the charge. */
  capture({ chargeId, replay }: SettledAnswer, used: Micro, billed?: Micro): Promise<Micro | undefined> {
    return used > 0n ? this.ledger.capture(chargeId, used, replay, billed) : this.ledger.release(chargeId);
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

/** What the account has left is nobody's business who only has a part of it. */
const told = ({ key }: ChargeDraft, holding: Promise<Held>): Promise<Held> =>
  key?.isDelegated === true ? holding.then((held) => (held.ok ? { ok: true } : held)) : holding;
