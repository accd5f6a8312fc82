import { Entity } from 'typeorm';

import {
  BigintColumn,
  IntegerColumn,
  SmallintColumn,
  TextColumn,
  TimeColumn,
} from '#platform/database/columns';

export const DELIVERY_STATES = ['pending', 'delivered', 'failed'] as const;
export type DeliveryState = (typeof DELIVERY_STATES)[number];

/** The `target` of deliveries to the address of a call. */
export const CALL = 'call';

/** One event for one receiver. */
@Entity('webhook_delivery')
export class WebhookDelivery {
  /** An endpoint's id, or `call`. */
  @TextColumn({ primary: true }) readonly target: string;
  @TextColumn({ primary: true }) readonly eventId: string;
  @TextColumn() readonly type: string;
  @TextColumn() readonly owner: string;
  @TextColumn() readonly host: string;
  /** The address of a call. An endpoint's address is in the endpoint's row, because it may change. */
  @TextColumn({ nullable: true }) readonly url?: string;
  @TextColumn({ default: 'pending' }) readonly state: DeliveryState;
  @IntegerColumn({ default: 0 }) readonly tries: number;
  @SmallintColumn({ nullable: true }) readonly lastStatus?: number;
  @TextColumn({ nullable: true }) readonly lastError?: string;
  /** The event's position in the log: first tries begin in this order. */
  @BigintColumn({ select: false }) readonly position?: bigint;
  @BigintColumn({ select: false }) readonly written?: bigint;
  @TimeColumn({ default: () => 'now()' }) readonly createdAt: Date;
  @TimeColumn() readonly dueAt: Date;
  @TimeColumn({ nullable: true }) readonly firstTriedAt?: Date;
  @TimeColumn({ nullable: true }) readonly lastTriedAt?: Date;
  /** The lease of a running try, and its process. */
  @TimeColumn({ nullable: true, select: false }) readonly takenUntil?: Date;
  @TextColumn({ nullable: true, select: false }) readonly takenBy?: string;
}
