import { Entity } from 'typeorm';

import type { Micro } from '#kernel/money';
import {
  BigintColumn,
  BytesColumn,
  IntegerColumn,
  MicroColumn,
  SmallintColumn,
  TextColumn,
  TimeColumn,
} from '#platform/database/columns';

/** The states of a call's money. */
export const CHARGE_STATES = ['held', 'settling', 'charged', 'refunded', 'released'] as const;
export type ChargeState = (typeof CHARGE_STATES)[number];

/** The name of a way to pay. `rails/rail-order.ts` and the table `rail` list them. */
export type RailName = string;

/** The cost of one call, and the state of that money. */
@Entity('charge')
export class Charge {
  @TextColumn({ primary: true }) readonly id: string;
  @TextColumn() readonly rail: RailName;
  /** The name of an operation that a route declares. */
  @TextColumn() readonly operation: string;
  /** The wallet in lower case, or the account's id. */
  @TextColumn() readonly payer: string;
  /** The prepaid account that pays; absent on the rails `x402` and `channel`. */
  @TextColumn({ nullable: true }) readonly accountId?: string;
  @TextColumn({ nullable: true }) readonly keyId?: string;
  @TextColumn({ nullable: true }) readonly modelId?: string;
  @TextColumn() readonly state: ChargeState;
  @MicroColumn() readonly price: Micro;
  @MicroColumn() readonly list: Micro;
  @SmallintColumn({ default: 0 }) readonly discountPercent: number;
  @BytesColumn() readonly fingerprint: Buffer;
  /** The signed-in person who made the call; absent for calls of keys and wallets. */
  @TextColumn({ nullable: true, select: false }) readonly personId?: string;
  /** The member's budget that the call counts against; absent in a person's own account. */
  @TextColumn({ nullable: true, select: false }) readonly budgetId?: string;
  /** The caller's idempotency key, if the call has one. */
  @TextColumn({ nullable: true }) readonly mark?: string;
  /** The caller's own word for the purpose of the call. */
  @TextColumn({ nullable: true }) readonly tag?: string;
  @TextColumn({ nullable: true }) readonly jobId?: string;
  /** The end of the lease, set while the money is held. After this time the process of the call counts as dead. */
  @TimeColumn({ nullable: true }) readonly leaseUntil?: Date;
  @TimeColumn({ default: () => 'now()' }) readonly createdAt: Date;
  @TimeColumn({ nullable: true }) readonly settledAt?: Date;
  @TimeColumn({ nullable: true }) readonly refundedAt?: Date;
  /** The counted tokens of a by-use call. */
  @IntegerColumn({ nullable: true, select: false }) readonly inputTokens?: number;
  @IntegerColumn({ nullable: true, select: false }) readonly outputTokens?: number;
  /** The provider's bill, if the provider reports one. */
  @MicroColumn({ nullable: true, select: false }) readonly billed?: Micro;
  /**
   * The database transaction that charged or released the money. The event log orders the charge by this transaction.
   */
  @BigintColumn({ nullable: true, select: false }) readonly decided?: bigint;
}
