import { Entity } from 'typeorm';

import type { Micro } from '#kernel/money';
import type { WalletAddress } from '#kernel/wallet-address';
import { IntegerColumn, MicroColumn, TextColumn, TimeColumn } from '#platform/database/columns';

/** The open and paid-in amounts of a wallet. Concurrent calls of one wallet wait for the lock of this row. */
@Entity('x402_payer')
export class X402Payer {
  @TextColumn({ primary: true }) readonly payer: WalletAddress;
  /** The sum of the wallet's payments that are claimed and not yet settled. */
  @MicroColumn({ default: 0 }) readonly open: Micro;
  @IntegerColumn({ default: 0 }) readonly openCount: number;
  /** The number of the wallet's settlements that failed after the work. */
  @IntegerColumn({ default: 0 }) readonly strikes: number;
  @MicroColumn({ default: 0 }) readonly paidIn: Micro;
  /**
   * The wallet's balance on chain at the claim of its newest payment. `paidInSeen` is the amount paid in that the claim
   * read before that balance.
   */
  @MicroColumn({ nullable: true }) readonly balanceSeen?: Micro;
  @MicroColumn({ default: 0 }) readonly paidInSeen: Micro;
  /** The number of settlements that failed on the network at our expense. */
  @IntegerColumn({ default: 0 }) readonly wasted: number;
  @TimeColumn({ nullable: true }) readonly wastedAt?: Date;
}
