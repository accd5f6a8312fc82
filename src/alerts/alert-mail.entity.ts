import { Entity } from 'typeorm';

import { IntegerColumn, JsonColumn, TextColumn, TimeColumn } from '../platform/database/columns';
import type { AlertType } from './alert.entity';

/** The e-mail of an alert to an account; kept for a day, which is also the time of retries. */
@Entity('alert_mail')
export class AlertMail {
  /** The id of its event. */
  @TextColumn({ primary: true }) readonly id: string;
  @TextColumn() readonly owner: string;
  @TextColumn() readonly type: AlertType;
  @JsonColumn() readonly data: Readonly<Record<string, unknown>>;
  @IntegerColumn({ default: 0 }) readonly tries: number;
  /**
   * The time of the next try. While a process sends the mail, the time at which that process counts as dead. Absent if
   * no try is left.
   */
  @TimeColumn({ nullable: true, default: () => 'now()' }) readonly dueAt?: Date;
  @TimeColumn({ default: () => 'now()' }) readonly createdAt: Date;
}
