import { Entity } from 'typeorm';

import type { Micro } from '../../kernel/money';
import {
  BigintColumn,
  BytesColumn,
  MicroColumn,
  SmallintColumn,
  TextColumn,
  TimeColumn,
} from '../../platform/database/columns';

/** What can become of the money of a call. */
export const CHARGE_STATES = ['held', 'settling', 'charged', 'refunded', 'released'] as const;
export type ChargeState = (typeof CHARGE_STATES)[number];

/** The name of a way to pay. Which there are says `rails/index.ts`, and the table `rail`. */
export type RailName = string;

/** What one call costs, and what became of that money. */
@Entity('charge')
export class Charge {
  @TextColumn({ primary: true }) readonly id: string;
  @TextColumn() readonly rail: RailName;
  /** What it is for: the name of an operation that some route declares. */
  @TextColumn() readonly operation: string;
  /** The wallet in lower case, or the account's id. */
  @TextColumn() readonly payer: string;
  /** The prepaid account it is taken from; absent on x402. */
  @TextColumn({ nullable: true }) readonly accountId?: string;
  @TextColumn({ nullable: true }) readonly keyId?: string;
  @TextColumn({ nullable: true }) readonly modelId?: string;
  @TextColumn() readonly state: ChargeState;
  @MicroColumn() readonly price: Micro;
  @MicroColumn() readonly list: Micro;
  @SmallintColumn({ default: 0 }) readonly discountPercent: number;
  @BytesColumn() readonly fingerprint: Buffer;
  /** What makes a repetition of this call the same call, if the caller said so. */
  @TextColumn({ nullable: true }) readonly mark?: string;
  /** The caller's own word for what the call is for. */
  @TextColumn({ nullable: true }) readonly tag?: string;
  @TextColumn({ nullable: true }) readonly jobId?: string;
  /** Set while the money is held: when the handler is taken for dead. */
  @TimeColumn({ nullable: true }) readonly leaseUntil?: Date;
  @TimeColumn({ default: () => 'now()' }) readonly createdAt: Date;
  @TimeColumn({ nullable: true }) readonly settledAt?: Date;
  @TimeColumn({ nullable: true }) readonly refundedAt?: Date;
  /** What the provider has counted of a call that is charged by use. */
  @MicroColumn({ nullable: true, select: false }) readonly billed?: Micro;
  /** The transaction that charged or released it: where that stands in the event log. */
  @BigintColumn({ nullable: true, select: false }) readonly decided?: bigint;
}
