import { Entity } from 'typeorm';

import type { EventType } from '#notices/outbox/event-types';
import { JsonColumn, TextColumn, TimeColumn } from '#platform/database/columns';

/** The events that are alerts. */
export const ALERT_TYPES = [
  'balance.low',
  'top_up.failed',
  'spend.high',
  'key.limit_near',
  'key.expiring',
] as const satisfies readonly EventType[];

export type AlertType = (typeof ALERT_TYPES)[number];

/** An active alert of an owner. While the row exists, the service sends no second warning. */
@Entity('alert')
export class Alert {
  @TextColumn({ primary: true }) readonly owner: string;
  @TextColumn({ primary: true }) readonly type: AlertType;
  /**
   * Distinguishes several alerts of one type of an owner: by the key, by the percentage of its limit, or by the day.
   */
  @TextColumn({ primary: true }) readonly subject: string;
  /** The data of the event of the alert. */
  @JsonColumn() readonly data: Readonly<Record<string, unknown>>;
  @TimeColumn({ default: () => 'now()' }) readonly since: Date;
}
