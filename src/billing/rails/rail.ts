import type { Provider, Type } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';

import type { Micro } from '../../kernel/money';
import type { MaybePromise } from '../../kernel/maybe-promise';
import type { ChargeDraft, Held, SettledAnswer, WorkOutcome } from '../charges/charge';
import type { Charge } from '../charges/charge.entity';
import type { PayableCall } from './payable-call';
import type { Payer } from './payer';
import type { RailFacts } from './rail-facts';

export type Settlement =
  /** The money is ours. `headers` go out with the answer, e.g. PAYMENT-RESPONSE. */
  | { readonly outcome: 'charged'; readonly headers: Readonly<Record<string, string>> }
  /** The money surely did not move: the answer is withheld, and `error` is answered instead. */
  | { readonly outcome: 'failed'; readonly error: Error }
  /** Nobody knows. The charge stays `settling` and the sweep asks the chain. */
  | { readonly outcome: 'unknown'; readonly error: Error };

/**
 * How one kind of caller pays. The opening calls `claims` and `identify`, which never write; only the charge service calls
 * the rest.
 */
export abstract class PaymentRail {
  get facts(): RailFacts {
    return (this.constructor as RailClass).facts;
  }

  get name(): string {
    return this.facts.name;
  }

  /** Whether the money is already with us when a call comes. */
  get isPrepaid(): boolean {
    return this.facts.accounts !== undefined;
  }

  /** True when the request carries this rail's credential, whether or not it is valid. */
  abstract claims(request: FastifyRequest): boolean;

  /** Proves who pays, or throws what is wrong with the credential. Reads only. */
  abstract identify(call: PayableCall): MaybePromise<Payer>;

  /**
   * Who has the money for any call at all, as far as the headers tell before the body is here; undefined when nobody
   * is proven to. Throws why the credential, or the money behind it, is no good.
   */
  abstract backerOf(request: FastifyRequest): Promise<string | undefined>;

  /**
   * The charge of an earlier call with the same mark of this rail's own (a payment's nonce or identifier), or the
   * error that says it was another call's.
   */
  earlier(_call: PayableCall, _payer: Payer): MaybePromise<string | undefined> {
    return undefined;
  }

  /** What the payer has left for calls; undefined where that is not ours to know. */
  abstract balance(payer: Payer): Promise<Micro | undefined>;

  /**
   * Throws when the payer's money surely does not cover the call, before anything dear is done for it. Takes nothing:
   * the hold looks again. `local` asks nobody but our own books and the chain; false when that did not tell.
   */
  abstract requireCover(call: PayableCall, local: boolean): Promise<boolean>;

  /** Secures the money before any work starts, in one statement with the charge's row. */
  abstract hold(call: PayableCall, draft: ChargeDraft): Promise<Held>;

  /** What to answer when a hold is refused for want of money. */
  abstract shortOf(call: PayableCall, payer: Payer): MaybePromise<Error>;

  /** Takes the money for good, after the work and before a byte of the answer leaves. */
  abstract settle(call: PayableCall, draft: ChargeDraft, answer: SettledAnswer): Promise<Settlement>;

  /** Undoes a hold whose work surely did not happen. False when the charge had moved on. */
  abstract release(chargeId: string): Promise<boolean>;

  /** Whether work that fails after it was paid for is given back at all. */
  get givesBack(): boolean {
    return true;
  }

  /** Undoes a settled charge whose work failed afterwards, once. False when there was nothing to give back. */
  abstract refund(chargeId: string): Promise<boolean>;

  /** Headers that prove the payment of a charge that was settled before, for an answer that is given again. */
  receiptHeaders(_chargeId: string): Promise<Readonly<Record<string, string>>> {
    return Promise.resolve({});
  }

  /** The transaction that paid a charge; undefined where there is none. */
  transactionOf(_chargeId: string): Promise<string | undefined> {
    return Promise.resolve(undefined);
  }

  /** Decides a charge whose process died or whose payment was left in doubt, given what became of its work. */
  abstract recover(charge: Charge, work: WorkOutcome): Promise<void>;
}

/** One way to pay, whole: its class, which carries its facts and names what else it needs. */
export interface RailClass extends Type<PaymentRail> {
  readonly facts: RailFacts;
  /** What its class asks for and nobody else provides. */
  readonly parts?: readonly Provider[];
}
