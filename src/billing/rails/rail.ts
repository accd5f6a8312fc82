import type { FastifyRequest } from 'fastify';

import type { Micro } from '../../kernel/money';
import type { WalletAddress } from '../../kernel/wallet-address';
import type { PaidCall } from '../calls/paid-call';
import type { Charge, ChargeDraft, Held } from '../charges/charge';

export type RailName = 'x402' | 'wallet' | 'api-key';

/** Who pays a call, proven. */
export interface Payer {
  readonly rail: RailName;
  /** The wallet in lower case, or the account's id. */
  readonly id: string;
  /** Set on the wallet and the x402 rail. */
  readonly wallet?: WalletAddress;
  /** The ledger account it is taken from; undefined on x402. */
  readonly accountId?: string;
  readonly keyId?: string;
  /** Whom limits count: the key, else the payer. */
  readonly limitedAs: string;
  /** Discounts follow the wallet's tier; keys pay list price. */
  readonly discountPercent: number;
  /** A mark that the credential itself carries, such as a payment's nonce. */
  readonly mark?: string;
  /** What the rail needs again later, such as the signed payment. Nobody else looks inside. */
  readonly proof?: unknown;
}

/** What is kept of an answer so that it can be settled, and given again. */
export interface SettledAnswer {
  readonly chargeId: string;
  readonly jobId?: string;
  /** Whether somebody may wait for this charge in another process. */
  readonly watched: boolean;
  /**
   * Sealed under a key of this caller and this body; undefined when the route's answers are not kept. How long it is
   * kept is counted by the database: a process whose clock is wrong must not take a paid answer away.
   */
  readonly replay?: { readonly status: number; readonly sealed: Buffer; readonly seconds: number };
}

export type Settlement =
  /** The money is ours. `headers` go out with the answer, e.g. PAYMENT-RESPONSE. */
  | { readonly outcome: 'charged'; readonly headers: Readonly<Record<string, string>> }
  /** The money surely did not move: the answer is withheld, and `error` is answered instead. */
  | { readonly outcome: 'failed'; readonly error: Error }
  /** Nobody knows. The charge stays `settling` and the sweep asks the chain. */
  | { readonly outcome: 'unknown'; readonly error: Error };

/**
 * How one kind of caller pays. Guards call `claims` and `identify`, which never write; only the charge service calls
 * the rest.
 */
export abstract class PaymentRail {
  abstract readonly name: RailName;

  /** True when the request carries this rail's credential, whether or not it is valid. */
  abstract claims(request: FastifyRequest): boolean;

  /** Proves who pays, or throws what is wrong with the credential. Reads only. */
  abstract identify(call: PaidCall): Promise<Payer>;

  /**
   * The charge of an earlier call with the same mark of this rail's own (a payment's nonce or identifier), or the
   * error that says it was another call's.
   */
  earlier(_call: PaidCall, _payer: Payer): Promise<string | undefined> {
    return Promise.resolve(undefined);
  }

  /** What the payer has left for calls; undefined where that is not ours to know. */
  abstract balance(payer: Payer): Promise<Micro | undefined>;

  /**
   * Throws when the payer's money surely does not cover the call, before anything dear is done for it. Takes nothing:
   * the hold looks again. `local` asks nobody but our own books and the chain.
   */
  abstract requireCover(call: PaidCall, local: boolean): Promise<void>;

  /** Secures the money before any work starts, in one statement with the charge's row. */
  abstract hold(call: PaidCall, draft: ChargeDraft): Promise<Held>;

  /** What to answer when a hold is refused for want of money. */
  abstract shortOf(call: PaidCall, payer: Payer): Promise<Error>;

  /** Takes the money for good, after the work and before a byte of the answer leaves. */
  abstract settle(call: PaidCall, draft: ChargeDraft, answer: SettledAnswer): Promise<Settlement>;

  /** Undoes a hold whose work surely did not happen. False when the charge had moved on. */
  abstract release(chargeId: string): Promise<boolean>;

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

/** What became of the work of a charge whose process is gone. */
export type WorkOutcome = 'done' | 'not-done' | 'unknown';
