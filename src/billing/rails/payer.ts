import type { Micro } from '../../kernel/money';
import type { WalletAddress } from '../../kernel/wallet-address';
import type { Acting } from '../../accounts/acting';
import type { ActingKey } from '../../keys/acting-key';
import type { RailName } from '../charges/charge.entity';

/** Who pays a call, proven. */
export interface Payer {
  readonly rail: RailName;
  /** The wallet in lower case, or the account's id. */
  readonly id: string;
  /** Set on the wallet and the x402 rail. */
  readonly wallet?: WalletAddress;
  /** The ledger account it is taken from; undefined on x402. */
  readonly ledgerAccount?: string;
  /** The key that it came with. */
  readonly key?: ActingKey;
  /** Who came with a session, and for whom. */
  readonly acting?: Acting;
  /** Whom limits count: the key, or that from which it was handed on, else the payer. */
  readonly limitedAs: string;
  /** Discounts follow the wallet's tier; keys pay list price. */
  readonly discountPercent: number;
  /** A mark that the credential itself carries, such as a payment's nonce. */
  readonly mark?: string;
  /** Set where the credential itself names the price, as a signed payment does. */
  readonly agreedPrice?: Micro;
  /** The key or the session that the database can still look at when the money moves; absent where nothing can end. */
  readonly provenBy?: string;
  /** What the rail needs again later, such as the signed payment. Nobody else looks inside. */
  readonly proof?: unknown;
}
