import { Entity } from 'typeorm';

import type { Micro } from '../../../../kernel/money';
import type { WalletAddress } from '../../../../kernel/wallet-address';
import {
  BigintColumn,
  HexColumn,
  IntegerColumn,
  MicroColumn,
  TextColumn,
  TimeColumn,
} from '../../../../platform/database/columns';
import type { Hex } from '../proof/signed-payment';

/** A payment that a caller signed for one call. It has no state of its own: it is what its charge is. */
@Entity('x402_payment')
export class X402Payment {
  @TextColumn({ primary: true }) readonly network: string;
  @TextColumn({ primary: true }) readonly asset: WalletAddress;
  @TextColumn({ primary: true }) readonly payer: WalletAddress;
  @HexColumn({ primary: true }) readonly nonce: Hex;
  @TextColumn() readonly chargeId: string;
  /** The caller's own `payment-identifier`. */
  @TextColumn({ nullable: true, select: false }) readonly paymentId?: string;
  @TextColumn() readonly payTo: WalletAddress;
  @MicroColumn() readonly amount: Micro;
  /** Unix seconds; the chain takes it strictly between the two. */
  @BigintColumn() readonly validAfter: bigint;
  @BigintColumn() readonly validBefore: bigint;
  /** Kept for as long as only it can bring the money. */
  @HexColumn({ nullable: true }) readonly signature?: Hex;
  @TextColumn({ name: 'tx_hash', nullable: true }) readonly transaction?: string;
  /** The transfer's place in its transaction. Absent for payments from before places were kept. */
  @IntegerColumn({ nullable: true }) readonly logIndex?: number;
  /** Where on the chain to start looking for it. */
  @BigintColumn({ nullable: true }) readonly fromBlock?: bigint;
  @IntegerColumn({ default: 0 }) readonly settleAttempts: number;
  @TextColumn({ nullable: true, select: false }) readonly lastError?: string;
  @TimeColumn({ default: () => 'now()', select: false }) readonly createdAt?: Date;
  @TimeColumn({ default: () => 'now()', select: false }) readonly updatedAt?: Date;
  /** When to look whether the chain still knows it; absent once it can't forget it any more. */
  @TimeColumn({ nullable: true, select: false }) readonly watchAt?: Date;
  @IntegerColumn({ default: 0, select: false }) readonly looks?: number;
  @TimeColumn({ nullable: true, select: false }) readonly lostAt?: Date;
}
