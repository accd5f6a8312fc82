import { Entity } from 'typeorm';

import type { Micro } from '../../kernel/money';
import {
  BigintColumn,
  BytesColumn,
  IntegerColumn,
  MicroColumn,
  SmallintColumn,
  TextColumn,
  TimeColumn,
} from '../../platform/database/columns';

/** The states of a call's money. */
export const CHARGE_STATES = ['held', 'settling', 'charged', 'refunded', 'released'] as const;
export type ChargeState = (typeof CHARGE_STATES)[number];

/** The name of a way to pay. `rails/index.ts` and the table `rail` list them. */
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
  /** The prepaid account that pays; absent on x402. */
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
  /** Set while the money is held: the time at which the handler counts as dead. */
  @TimeColumn({ nullable: true }) readonly leaseUntil?: Date;
  @TimeColumn({ default: () => 'now()' }) readonly createdAt: Date;
  @TimeColumn({ nullable: true }) readonly settledAt?: Date;
  @TimeColumn({ nullable: true }) readonly refundedAt?: Date;
  /** The counted tokens of a by-use call. */
  @IntegerColumn({ nullable: true, select: false }) readonly inputTokens?: number;
  @IntegerColumn({ nullable: true, select: false }) readonly outputTokens?: number;
  /** The cost by the provider's count, for a by-use call. */
  @MicroColumn({ nullable: true, select: false }) readonly billed?: Micro;
  /** The transaction that charged or released it. It gives the position in the event log. */
  @BigintColumn({ nullable: true, select: false }) readonly decided?: bigint;
}
