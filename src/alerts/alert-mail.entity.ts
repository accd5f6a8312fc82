import { Entity } from 'typeorm';

import { IntegerColumn, JsonColumn, TextColumn, TimeColumn } from '../platform/database/columns';
import type { AlertType } from './alert.entity';

/** An alert on its way to an account by e-mail; kept for a day, which is how long it is tried. */
@Entity('alert_mail')
export class AlertMail {
  /** That of its event. */
  @TextColumn({ primary: true }) readonly id: string;
  @TextColumn() readonly owner: string;
  @TextColumn() readonly type: AlertType;
  @JsonColumn() readonly data: Readonly<Record<string, unknown>>;
  @IntegerColumn({ default: 0 }) readonly tries: number;
  /** When it is to be tried; of one in hand, when its process is taken for dead. None when nothing is left to do. */
  @TimeColumn({ nullable: true, default: () => 'now()' }) readonly dueAt?: Date;
  @TimeColumn({ default: () => 'now()' }) readonly createdAt: Date;
}
