import { Entity } from 'typeorm';

import type { Micro } from '#kernel/money';
import type { WalletAddress } from '#kernel/wallet-address';
import {
  BigintColumn,
  HexColumn,
  IntegerColumn,
  MicroColumn,
  TextColumn,
  TimeColumn,
} from '#platform/database/columns';
import type { Hex } from '../proof/signed-payment';

/** A payment that a caller signed for one call. The charge has the state of the payment. */
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
  /** Unix seconds. The chain requires a time strictly between `validAfter` and `validBefore`. */
  @BigintColumn() readonly validAfter: bigint;
  @BigintColumn() readonly validBefore: bigint;
  /** Present while the service may still have to send the payment. */
  @HexColumn({ nullable: true }) readonly signature?: Hex;
  @TextColumn({ name: 'tx_hash', nullable: true }) readonly transaction?: string;
  /** The transfer's index among the logs of its transaction. Absent for older payments. */
  @IntegerColumn({ nullable: true }) readonly logIndex?: number;
  /** The first block to search. */
  @BigintColumn({ nullable: true }) readonly fromBlock?: bigint;
  @IntegerColumn({ default: 0 }) readonly settleAttempts: number;
  @TextColumn({ nullable: true, select: false }) readonly lastError?: string;
  @TimeColumn({ default: () => 'now()', select: false }) readonly createdAt?: Date;
  @TimeColumn({ default: () => 'now()', select: false }) readonly updatedAt?: Date;
  /** The time of the next finality check; absent once the payment is final. */
  @TimeColumn({ nullable: true, select: false }) readonly watchAt?: Date;
  @IntegerColumn({ name: 'looks', default: 0, select: false }) readonly checks?: number;
  @TimeColumn({ nullable: true, select: false }) readonly lostAt?: Date;
}
