import type { Micro } from '../../../../kernel/money';
import type { WalletAddress } from '../../../../kernel/wallet-address';
import type { PartState } from '../../../../platform/health/health-parts';
import type { PaymentFault } from '../proof/payment-fault';
import type { ClaimedPayment, SignedPayment } from '../proof/signed-payment';

export type Verdict =
  | { readonly outcome: 'valid' }
  /** The buyer's doing: another payment is needed. */
  | { readonly outcome: 'refused'; readonly fault: PaymentFault }
  /** Nobody can say at the moment: the same payment may come again. */
  | { readonly outcome: 'unavailable' };

/** The one transfer that pays one charge. */
export interface Transfer {
  readonly transaction: string;
  /** Its place among the logs of its transaction; 0 where there is no chain to tell several apart. */
  readonly logIndex: number;
}

export type SettleAttempt =
  | ({ readonly outcome: 'settled' } & Transfer)
  /** It said no before anything was sent. Only a first attempt may be believed without asking the chain. */
  | {
      readonly outcome: 'refused';
      readonly fault: PaymentFault;
      /** A transaction of ours was mined and failed: its gas is gone. */
      readonly wasted?: boolean;
    }
  | { readonly outcome: 'unknown'; readonly why: string };

/** How much of the chain is believed: all there is, or what it can't forget any more. */
export type ChainView = 'latest' | 'finalized';

export type ChainOutcome =
  | ({ readonly outcome: 'settled' } & Transfer)
  /** The money has not moved. `final` when it can't any more: cancelled, used elsewhere or expired. */
  | { readonly outcome: 'unsettled'; readonly final: boolean }
  | { readonly outcome: 'unknown' };

/** Who checks payments and carries them out. What it says about money is believed only where it can be proven. */
export abstract class Facilitator {
  abstract verify(payment: SignedPayment): Promise<Verdict>;

  abstract settle(payment: ClaimedPayment): Promise<SettleAttempt>;

  /** What truly became of a payment, from the chain and never from an error code. */
  abstract outcome(payment: ClaimedPayment, view?: ChainView): Promise<ChainOutcome>;

  /** Whether the money is play money, as far as we know; payers are told. */
  abstract readonly isPlay: boolean;

  /** Whether a settlement that fails on the network costs us something. */
  abstract readonly paysGas: boolean;

  /** Whether there is a chain that can be asked, and that may still forget what it has settled. */
  abstract readonly forgets: boolean;

  /** Whether there is anybody to ask what a payer holds. */
  abstract readonly seesBalances: boolean;

  /** What the payer holds now; undefined where nobody can say. */
  abstract balanceOf(wallet: WalletAddress): Promise<Micro | undefined>;

  /** Whether a contract wallet accepts the signature; undefined where there is no chain to ask. */
  abstract contractAccepts(payment: SignedPayment): Promise<boolean | undefined>;

  /** A block from which on a payment that is claimed now can be found. */
  abstract recentBlock(): Promise<bigint | undefined>;

  abstract state(): Promise<PartState>;
}
