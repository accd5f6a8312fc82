import type { FacilitatorClient } from '@x402/core/server';

import type { Micro } from '#kernel/money';
import type { WalletAddress } from '#kernel/wallet-address';
import type { PartState } from '#platform/health/health-parts';
import type { PaymentFault } from '../proof/payment-fault-messages';
import type { ClaimedPayment, SignedPayment } from '../proof/signed-payment';

export type Verdict =
  | { readonly outcome: 'valid' }
  /** The payer is at fault, so the call needs another payment. */
  | { readonly outcome: 'refused'; readonly fault: PaymentFault }
  /** The answer is not known now, so the caller may send the same payment again. */
  | { readonly outcome: 'unavailable' };

/** The one transfer that pays one charge. */
export interface Transfer {
  readonly transaction: string;
  /** The transfer's index among the logs of its transaction; 0 if there is no chain. */
  readonly logIndex: number;
}

export type SettleAttempt =
  | ({ readonly outcome: 'settled' } & Transfer)
  /**
   * The facilitator refused the payment before it sent anything, or its transaction failed. Without the chain, the
   * service believes only certain faults of a first attempt.
   */
  | {
      readonly outcome: 'refused';
      readonly fault: PaymentFault;
      /** Our transaction was mined and failed, so its gas is lost. */
      readonly wasted?: boolean;
    }
  | { readonly outcome: 'unknown'; readonly why: string };

/** The reasons why no payment may be taken on a chain, for operators. */
export const MISFITS = {
  chain: 'the node is of another network',
  token: 'the token at X402_ASSET has another name or version than the settings',
  decimals: 'the token at X402_ASSET does not have 6 decimals, so a price would be another sum',
  payee: "X402_PAY_TO is the sandbox's address, and this is no test network",
} as const;
export type Misfit = keyof typeof MISFITS;

/** The part of the chain to read: all blocks, or only final blocks. */
export type ChainView = 'latest' | 'finalized';

export type ChainOutcome =
  | ({ readonly outcome: 'settled' } & Transfer)
  /** The money has not moved. `final` if it can't move any more: cancelled, used elsewhere or expired. */
  | { readonly outcome: 'unsettled'; readonly final: boolean }
  | { readonly outcome: 'unknown' };

/** The state of a payment channel on the chain. */
export interface ChannelState {
  readonly balance: Micro;
  readonly claimed: Micro;
  /** Unix seconds; 0 if the payer asked for no withdrawal. */
  readonly withdrawRequestedAt: number;
  readonly refundNonce: bigint;
}

/** The fee of a claim is above the limit for its money. Nothing was sent. */
export class ClaimTooExpensive extends Error {
  constructor() {
    super('The network fee is too high for this claim now.');
  }
}

/** The part of a facilitator that runs payment channels. */
export interface ChannelAccess {
  readonly client: FacilitatorClient;
  /**
   * A client for claims, payouts and refunds, whose gas is limited by the moved money and by the number of channels.
   * Undefined if another service pays the gas.
   */
  readonly mover?: (moved: { readonly worth: Micro; readonly channels: number }) => FacilitatorClient;
  /** Reads the state with our own node; undefined without one. Throws if the node gives no answer. */
  readonly stateOf?: (channelId: `0x${string}`) => Promise<ChannelState>;
  /** Whether the contracts of channels are on the chain, as far as our own node knows. */
  readonly isThere: () => Promise<boolean>;
}

/** Only `sent` means that something was sent. Then only the chain knows whether a block contains the transaction. */
export type Written =
  | { readonly outcome: 'sent'; readonly transaction: `0x${string}` }
  | { readonly outcome: 'too-expensive' | 'refused' };

/** Writes texts on the chain, where nobody can change them. */
export interface ChainNotary {
  /** Sends a transaction that carries the text and costs at most `costMax`. */
  readonly write: (text: string, costMax: Micro) => Promise<Written>;
  /** The block of a transaction; undefined if no block contains it. */
  readonly blockOf: (transaction: `0x${string}`) => Promise<bigint | undefined>;
}

/** Verifies payments and settles them. If the service has a node, only the chain proves that money has moved. */
export abstract class Facilitator {
  /** Undefined if the facilitator runs no payment channels. */
  get channels(): ChannelAccess | undefined {
    return undefined;
  }

  /** Undefined if the facilitator has no wallet that pays gas. */
  get notary(): ChainNotary | undefined {
    return undefined;
  }

  abstract verify(payment: SignedPayment): Promise<Verdict>;

  abstract settle(payment: ClaimedPayment): Promise<SettleAttempt>;

  /** The outcome of a payment, by the chain and never by an error code. */
  abstract outcome(payment: ClaimedPayment, view?: ChainView): Promise<ChainOutcome>;

  /** Whether the money has no value, as far as we know. Answers contain this fact. */
  abstract readonly isPlay: boolean;

  /** Whether a settlement that fails on the network costs us gas. */
  abstract readonly paysGas: boolean;

  /** Whether there is a chain that can be asked, and that may still drop a settled payment. */
  abstract readonly forgets: boolean;

  /** Whether a payer's balance can be read. */
  abstract readonly seesBalances: boolean;

  /** The payer's present balance; undefined if it can't be read. */
  abstract balanceOf(wallet: WalletAddress): Promise<Micro | undefined>;

  /** Whether a contract wallet accepts the signature; undefined without a chain. */
  contractAccepts(_payment: SignedPayment): Promise<boolean | undefined> {
    return Promise.resolve(undefined);
  }

  /** A payment that is claimed now gets into this block or a later one; undefined without a chain. */
  recentBlock(): Promise<bigint | undefined> {
    return Promise.resolve(undefined);
  }

  abstract state(): Promise<PartState>;

  /**
   * The reason, found by our own node, why the service must take no payment on the network. Undefined without such a
   * reason, or without a node.
   */
  misfit(): Promise<Misfit | undefined> {
    return Promise.resolve(undefined);
  }
}
