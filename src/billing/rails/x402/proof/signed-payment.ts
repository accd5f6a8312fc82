import type { Micro } from '../../../../kernel/money';
import type { WalletAddress } from '../../../../kernel/wallet-address';

export type Hex = `0x${string}`;

/** A signed permission to take `amount` from the payer once (EIP-3009), in the one form that we use inside. */
export interface SignedPayment {
  readonly network: string;
  readonly asset: WalletAddress;
  readonly payer: WalletAddress;
  readonly payTo: WalletAddress;
  readonly amount: Micro;
  /** Unix seconds; the chain takes it strictly between the two. */
  readonly validAfter: bigint;
  readonly validBefore: bigint;
  /** 32 bytes in lower case: signatures have twins and headers have spellings, the nonce is one. */
  readonly nonce: Hex;
  readonly signature: Hex;
}

/** A payment whose nonce is ours: what settling and looking for it on the chain start from. */
export interface ClaimedPayment extends SignedPayment {
  readonly chargeId: string;
  /** Where on the chain to start looking for it. */
  readonly fromBlock?: bigint;
  readonly settleAttempts: number;
}

/** What a caller's header held, read but not yet believed. */
export interface OfferedPayment {
  readonly payment: SignedPayment;
  /** The requirement that a v2 client says it accepted; v1 has none. */
  readonly accepted?: { readonly amount: string; readonly asset: string; readonly payTo: string };
  /** Our own seal of the price, echoed. */
  readonly quote?: string;
  readonly paymentId?: string;
}
