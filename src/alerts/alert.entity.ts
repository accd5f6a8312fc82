import { Entity } from 'typeorm';

import type { EventType } from '../outbox/event-types';
import { JsonColumn, TextColumn, TimeColumn } from '../platform/database/columns';

/** The events that are alerts. */
export const ALERT_TYPES = [
  'balance.low',
  'top_up.failed',
  'spend.high',
  'key.limit_near',
  'key.expiring',
] as const satisfies readonly EventType[];

export type AlertType = (typeof ALERT_TYPES)[number];

/** An active alert of an owner. While the row exists, no second warning is sent. */
@Entity('alert')
export class Alert {
  @TextColumn({ primary: true }) readonly owner: string;
  @TextColumn({ primary: true }) readonly type: AlertType;
  /** The subject, if an owner may have several alerts of a type: a key, its share of spending, or a day. */
  @TextColumn({ primary: true }) readonly subject: string;
  /** The data of its event. */
  @JsonColumn() readonly data: Readonly<Record<string, unknown>>;
  @TimeColumn({ default: () => 'now()' }) readonly since: Date;
}
