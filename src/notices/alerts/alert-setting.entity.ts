import { Entity } from 'typeorm';

import type { Micro } from '#kernel/money';
import { JsonColumn, MicroColumn, TextColumn } from '#platform/database/columns';

/** The alert settings of an owner. For each missing setting, the default applies. */
@Entity('alert_setting')
export class AlertSetting {
  @TextColumn({ primary: true }) readonly owner: string;
  /** 0 disables the alert about a low balance. */
  @MicroColumn({ nullable: true }) readonly balanceLow?: Micro;
  @MicroColumn({ nullable: true }) readonly spendDay?: Micro;
  @JsonColumn({ nullable: true }) readonly keyPercent?: readonly number[];
}
