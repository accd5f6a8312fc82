import type { Provider, Type } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';

import { type Micro, micro } from '#kernel/money';
import type { ChargeDraft, Held, MeasuredUse, SettledAnswer, WorkOutcome } from '../charges/charge';
import type { Charge } from '../charges/charge.entity';
import type { PayableCall } from './payable-call';
import type { Payer } from './payer';
import type { RailFacts } from './rail-facts';

export type Settlement =
  /** The money is ours. The answer contains `headers`, for example PAYMENT-RESPONSE. */
  | { readonly outcome: 'charged'; readonly headers: Readonly<Record<string, string>> }
  /** The money certainly did not move. The service sends `error` instead of the answer. */
  | { readonly outcome: 'failed'; readonly error: Error }
  /** The outcome is unknown. The sweep asks the chain about a charge that is `settling`. */
  | { readonly outcome: 'unknown'; readonly error: Error };

/** The end of a call that is charged by usage. */
export interface Captured {
  /** The remaining prepaid money. */
  readonly left?: Micro;
  /** Headers that prove the payment. */
  readonly headers?: Readonly<Record<string, string>>;
}

/** Where the chain shows a payment. */
export interface ChainTransfer {
  readonly network: string;
  /** Absent until the transaction is known. A payment by voucher never has a transaction. */
  readonly transaction?: string | undefined;
}

/**
 * One way to pay. Guards call `claims` and `identify`, which never write. Only the charge service and the charge sweep
 * call the methods that move money.
 */
export abstract class PaymentRail {
  get facts(): RailFacts {
    return (this.constructor as RailClass).facts;
  }

  get name(): string {
    return this.facts.name;
  }

  get isPrepaid(): boolean {
    return this.facts.accounts !== undefined;
  }

  /** True when the request carries this rail's credential, whether or not it is valid. */
  abstract claims(request: FastifyRequest): boolean;

  /** Proves the payer, or throws the fault of the credential. Reads only. */
  abstract identify(call: PayableCall): Promise<Payer>;

  /**
   * The payer, if the headers alone prove one with money for any call; otherwise undefined. Throws if the credential,
   * or the money behind it, has a fault.
   */
  abstract provenPayerOf(request: FastifyRequest): Promise<string | undefined>;

  /**
   * The charge of an earlier call with the same identifier of this rail: a payment's nonce or identifier. Throws if the
   * identifier belongs to a different call.
   */
  earlier(_call: PayableCall, _payer: Payer): Promise<string | undefined> {
    return Promise.resolve(undefined);
  }

  /** The payer's remaining money; undefined if the service does not hold the money. */
  abstract balance(payer: Payer): Promise<Micro | undefined>;

  /**
   * Throws before any costly step if the payer's money certainly does not cover the call. It takes no money, and the hold
   * checks again. With `local` it asks only our own books and the chain, and returns false if they had no answer.
   */
  abstract requireFunds(call: PayableCall, local: boolean): Promise<boolean>;

  /** Secures the money before any work starts, in one statement with the charge's row. */
  abstract hold(call: PayableCall, draft: ChargeDraft): Promise<Held>;

  /** Secures the worst case of a call whose price is known only at its end. */
  reserve(call: PayableCall, draft: ChargeDraft): Promise<Held> {
    return this.hold(call, draft);
  }

  /** The most that the hold of a call can still grow by, at this moment. */
  roomOf(_draft: ChargeDraft): Promise<Micro> {
    return Promise.resolve(micro(0n));
  }

  /** The part of that room which this call may use unseen, where the payer's other calls that are charged by usage share the money. */
  shareOf(draft: ChargeDraft): Promise<Micro> {
    return this.roomOf(draft);
  }

  /**
   * Secures the amount for a reserved call, once. Returns all that is then held; undefined if the payer can't pay the
   * amount.
   */
  extend(_draft: ChargeDraft, _amount: Micro): Promise<Micro | undefined> {
    return Promise.resolve(undefined);
  }

  /**
   * Charges the use of a reserved call, or releases the whole hold. Undefined if another process has decided the
   * charge.
   */
  capture(
    _draft: ChargeDraft,
    _answer: SettledAnswer,
    _used: Micro,
    _use?: MeasuredUse,
  ): Promise<Captured | undefined> {
    return Promise.reject(new Error(`The rail ${this.name} cannot charge by usage.`));
  }

  /** The answer to a hold that was refused for lack of money. */
  abstract shortOf(call: PayableCall, payer: Payer): Promise<Error>;

  /** The error for a payer whose key may not spend that much. */
  overLimit(call: PayableCall, payer: Payer): Promise<Error> {
    return this.shortOf(call, payer);
  }

  /** Takes the money for good, after the work and before the first byte of the answer. */
  abstract settle(call: PayableCall, draft: ChargeDraft, answer: SettledAnswer): Promise<Settlement>;

  /** Undoes a hold whose work certainly did not happen. False if the charge had another state. */
  abstract release(chargeId: string): Promise<boolean>;

  /** Whether paid work that fails later is refunded at all. */
  get givesBack(): boolean {
    return true;
  }

  /** Undoes a settled charge whose work failed afterwards, once. False if nothing was refunded. */
  abstract refund(chargeId: string): Promise<boolean>;

  /** Whether the refund of a charge must wait, because its money may still not arrive. */
  refundWaits(_chargeId: string): Promise<boolean> {
    return Promise.resolve(false);
  }

  /** Headers that prove the payment of a settled charge, for the repeated answer to this payer. */
  receiptHeaders(
    _chargeId: string,
    _payer?: Payer,
    _settledAt?: Date,
  ): Promise<Readonly<Record<string, string>>> {
    return Promise.resolve({});
  }

  /** The place of a charge's payment on a chain; undefined if no chain has the payment. */
  transferOf(_chargeId: string): Promise<ChainTransfer | undefined> {
    return Promise.resolve(undefined);
  }

  /** Decides a charge by the outcome of its work, after its process died or while its payment was in doubt. */
  abstract recover(charge: Charge, work: WorkOutcome): Promise<void>;
}

/** A complete way to pay: its class with its facts, and the other providers that it needs. */
export interface RailClass extends Type<PaymentRail> {
  readonly facts: RailFacts;
  /** Providers of this rail that its class injects. */
  readonly parts?: readonly Provider[];
}
