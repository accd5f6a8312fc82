import { Entity } from 'typeorm';

import {
  BigintColumn,
  IntegerColumn,
  SmallintColumn,
  TextColumn,
  TimeColumn,
} from '../platform/database/columns';

export const DELIVERY_STATES = ['pending', 'delivered', 'failed'] as const;
export type DeliveryState = (typeof DELIVERY_STATES)[number];

/** What stands in `target` where a job's last event goes to the address that its call has named. */
export const CALL = 'call';

/** One event on its way to one receiver. */
@Entity('webhook_delivery')
export class WebhookDelivery {
  /** An endpoint's id, or `call`. */
  @TextColumn({ primary: true }) readonly target: string;
  @TextColumn({ primary: true }) readonly eventId: string;
  @TextColumn() readonly type: string;
  @TextColumn() readonly owner: string;
  @TextColumn() readonly host: string;
  /** Of a call's own address. An endpoint's stands with the endpoint, which may move meanwhile. */
  @TextColumn({ nullable: true }) readonly url?: string;
  @TextColumn({ default: 'pending' }) readonly state: DeliveryState;
  @IntegerColumn({ default: 0 }) readonly tries: number;
  @SmallintColumn({ nullable: true }) readonly lastStatus?: number;
  @TextColumn({ nullable: true }) readonly lastError?: string;
  /** Where the event stands in the log: first tries begin in this order. */
  @BigintColumn({ select: false }) readonly position?: bigint;
  @BigintColumn({ select: false }) readonly written?: bigint;
  @TimeColumn({ default: () => 'now()' }) readonly createdAt: Date;
  @TimeColumn() readonly dueAt: Date;
  @TimeColumn({ nullable: true }) readonly firstTriedAt?: Date;
  @TimeColumn({ nullable: true }) readonly lastTriedAt?: Date;
  /** Until then a try of it may be under way, and by which process. */
  @TimeColumn({ nullable: true, select: false }) readonly takenUntil?: Date;
  @TextColumn({ nullable: true, select: false }) readonly takenBy?: string;
}
