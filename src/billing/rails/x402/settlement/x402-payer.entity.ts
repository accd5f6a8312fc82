import { Entity } from 'typeorm';

import type { Micro } from '../../../../kernel/money';
import type { WalletAddress } from '../../../../kernel/wallet-address';
import { IntegerColumn, MicroColumn, TextColumn, TimeColumn } from '../../../../platform/database/columns';

/** The open and paid-in amounts of a wallet. Racing calls of one wallet wait for each other at this row. */
@Entity('x402_payer')
export class X402Payer {
  @TextColumn({ primary: true }) readonly payer: WalletAddress;
  /** Its payments that are claimed and not yet settled. */
  @MicroColumn({ default: 0 }) readonly open: Micro;
  @IntegerColumn({ default: 0 }) readonly openCount: number;
  /** The number of its settlements that failed after the work. */
  @IntegerColumn({ default: 0 }) readonly strikes: number;
  @MicroColumn({ default: 0 }) readonly paidIn: Micro;
  /** Its balance on chain when its newest payment was claimed, and the amount paid in before that was read. */
  @MicroColumn({ nullable: true }) readonly balanceSeen?: Micro;
  @MicroColumn({ default: 0 }) readonly paidInSeen: Micro;
  /** Settlements that failed on the network at our expense. */
  @IntegerColumn({ default: 0 }) readonly wasted: number;
  @TimeColumn({ nullable: true }) readonly wastedAt?: Date;
}
