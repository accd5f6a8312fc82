import { Entity } from 'typeorm';

import { IntegerColumn, JsonColumn, TextColumn, TimeColumn } from '#platform/database/columns';
import type { AlertType } from './alert.entity';

/** The e-mail of an alert to an account. The row stays for a day, and the service retries for that time. */
@Entity('alert_mail')
export class AlertMail {
  /** The id of the event of the alert. */
  @TextColumn({ primary: true }) readonly id: string;
  @TextColumn() readonly owner: string;
  @TextColumn() readonly type: AlertType;
  @JsonColumn() readonly data: Readonly<Record<string, unknown>>;
  @IntegerColumn({ default: 0 }) readonly tries: number;
  /**
   * The time of the next try. While a process sends the mail, it is the time at which that process counts as dead.
   * Absent if there is no further try.
   */
  @TimeColumn({ nullable: true, default: () => 'now()' }) readonly dueAt?: Date;
  @TimeColumn({ default: () => 'now()' }) readonly createdAt: Date;
}
