import type { Micro } from '#kernel/money';
import type { WalletAddress } from '#kernel/wallet-address';

export type Hex = `0x${string}`;

/** A signed permission to take `amount` from the payer once (EIP-3009), in our internal form. */
export interface SignedPayment {
  readonly network: string;
  readonly asset: WalletAddress;
  readonly payer: WalletAddress;
  readonly payTo: WalletAddress;
  readonly amount: Micro;
  /** Unix seconds. The chain requires a time strictly between `validAfter` and `validBefore`. */
  readonly validAfter: bigint;
  readonly validBefore: bigint;
  /** 32 bytes in lower case. Signatures and headers have several spellings, but the nonce has only one. */
  readonly nonce: Hex;
  readonly signature: Hex;
}

/** A payment whose nonce is claimed. Settlements and searches of the chain begin with it. */
export interface ClaimedPayment extends SignedPayment {
  readonly chargeId: string;
  /** The first block to search. */
  readonly fromBlock?: bigint;
  readonly settleAttempts: number;
}

/** The content of a caller's header, not yet verified. */
export interface OfferedPayment {
  readonly payment: SignedPayment;
  /** The requirement that a v2 client accepted; v1 has none. */
  readonly accepted?: { readonly amount: string; readonly asset: string; readonly payTo: string };
  /** Our quote with its MAC, which the client returns. */
  readonly quote?: string;
  readonly paymentId?: string;
  /** True if a credential of the Machine Payments Protocol contained the payment. */
  readonly isMpp?: boolean;
}
