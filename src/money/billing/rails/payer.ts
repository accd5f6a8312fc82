import type { Micro } from '#kernel/money';
import type { WalletAddress } from '#kernel/wallet-address';
import type { Acting } from '#people/accounts/acting-person';
import type { ActingKey } from '#people/keys/acting-key';
import type { RailName } from '../charges/charge.entity';

/** The proven payer of a call. */
export interface Payer {
  readonly rail: RailName;
  /** The wallet in lower case, or the account's id. */
  readonly id: string;
  /** The wallet that pays; undefined for an account. */
  readonly wallet?: WalletAddress;
  /** The ledger account that pays; undefined on the rails `x402` and `channel`. */
  readonly ledgerAccount?: string;
  readonly key?: ActingKey;
  /** The person of the session, and the organisation that they act for. */
  readonly acting?: Acting;
  /** The member's budget that the call counts against. */
  readonly budgetId?: string;
  /** The id that rate limits count: the root key of an account's key, and otherwise the payer. */
  readonly limitedAs: string;
  /** The discount of the wallet's tier; 0 for accounts, which pay the list price. */
  readonly discountPercent: number;
  /** The idempotency key inside the credential itself, such as a payment's nonce. */
  readonly mark?: string;
  /** Set if the credential itself names the price, as a signed payment does. */
  readonly agreedPrice?: Micro;
  /** The key or the session, for a check by the database when the money moves; absent if it can't end. */
  readonly provenBy?: string;
  /** The rail's own data for later steps, such as the signed payment. No other code reads it. */
  readonly proof?: unknown;
}
