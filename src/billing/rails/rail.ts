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
export interface Answer {
  readonly status: number;
  readonly body: unknown;
  readonly jobId?: string;
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

  /** The price this payer gets: list, or the tier of the wallet that is proven to pay. */
  abstract priceFor(call: PaidCall, payer: Payer): Micro;

  /** Secures the money before any work starts, in one statement with the charge's row. */
  abstract hold(call: PaidCall, draft: ChargeDraft): Promise<Held>;

  /** Takes the money for good, after the work and before a byte of the answer leaves. */
  abstract settle(call: PaidCall, charge: ChargeDraft, answer: Answer): Promise<Settlement>;

  /** Undoes a hold whose work surely did not happen. False when the charge had moved on. */
  abstract release(chargeId: string): Promise<boolean>;

  /** Decides a charge whose process died or that was left in doubt. `worked` says what became of the work. */
  abstract recover(charge: Charge, worked: 'done' | 'not-done'): Promise<void>;
}
