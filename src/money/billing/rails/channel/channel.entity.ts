import { Entity } from 'typeorm';

import type { Micro } from '#kernel/money';
import type { WalletAddress } from '#kernel/wallet-address';
import {
  BigintColumn,
  BooleanColumn,
  CountColumn,
  IntegerColumn,
  MicroColumn,
  SmallintColumn,
  TextColumn,
  TimeColumn,
} from '#platform/database/columns';
import type { Hex } from '../x402/proof/signed-payment';

/** A payment channel: the mirror of its state on the chain, and the total that was charged. */
@Entity('channel')
export class Channel {
  @TextColumn({ primary: true }) readonly id: Hex;
  @TextColumn() readonly network: string;
  @TextColumn() readonly payer: WalletAddress;
  /** The wallet that signs vouchers; the zero address if the payer is a contract wallet. */
  @TextColumn() readonly payerAuthorizer: WalletAddress;
  @TextColumn() readonly receiver: WalletAddress;
  @TextColumn() readonly receiverAuthorizer: WalletAddress;
  @TextColumn() readonly token: WalletAddress;
  @IntegerColumn() readonly withdrawDelay: number;
  @TextColumn() readonly salt: Hex;
  /** Whether the payer itself has signed a deposit here. Otherwise only the payer's signature counts. */
  @BooleanColumn({ default: false }) readonly payerProven: boolean;
  /** The total on the chain when the row was created. */
  @MicroColumn() readonly base: Micro;
  @MicroColumn() readonly charged: Micro;
  @MicroColumn() readonly signed: Micro;
  @TextColumn({ nullable: true }) readonly signature?: Hex;
  @MicroColumn() readonly balance: Micro;
  @MicroColumn() readonly claimed: Micro;
  @CountColumn({ default: 0 }) readonly withdrawRequestedAt: number;
  @BigintColumn({ default: 0 }) readonly refundNonce: bigint;
  @TimeColumn({ default: () => 'now()' }) readonly syncedAt: Date;
  @TextColumn({ nullable: true }) readonly openChargeId?: string;
  @MicroColumn({ nullable: true }) readonly openSigned?: Micro;
  @TextColumn({ nullable: true }) readonly openSignature?: Hex;
  /** The latest end of a running refund. Until then no call may run. */
  @TimeColumn({ nullable: true }) readonly refundUntil?: Date;
  /** Until this time, only the process that took the channel may claim its debt. */
  @TimeColumn({ nullable: true, select: false }) readonly claimUntil?: Date;
  /** The claims that failed since the last one that succeeded. The next try comes after a pause that grows. */
  @SmallintColumn({ default: 0 }) readonly claimFailures: number;
  /** Set once a claim was refused. The channel takes no calls until its debt is claimed. */
  @TimeColumn({ nullable: true }) readonly claimRefusedAt?: Date;
  @TimeColumn({ default: () => 'now()' }) readonly usedAt: Date;
  @TimeColumn({ default: () => 'now()' }) readonly createdAt: Date;
}
