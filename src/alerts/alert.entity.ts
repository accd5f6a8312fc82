import { Entity } from 'typeorm';

import type { EventType } from '../outbox/event-types';
import { JsonColumn, TextColumn, TimeColumn } from '../platform/database/columns';

/** The events that warn of something. */
export const ALERT_TYPES = [
  'balance.low',
  'spend.high',
  'key.limit_near',
  'key.expiring',
] as const satisfies readonly EventType[];

export type AlertType = (typeof ALERT_TYPES)[number];

/** What an owner was warned of, for as long as it is so: while the row stands, nothing is said again. */
@Entity('alert')
export class Alert {
  @TextColumn({ primary: true }) readonly owner: string;
  @TextColumn({ primary: true }) readonly type: AlertType;
  /** What it is about, where an owner may have several: a key, a key and how much it has spent, a day. */
  @TextColumn({ primary: true }) readonly subject: string;
  /** What the event said. */
  @JsonColumn() readonly data: Readonly<Record<string, unknown>>;
  @TimeColumn({ default: () => 'now()' }) readonly since: Date;
}
