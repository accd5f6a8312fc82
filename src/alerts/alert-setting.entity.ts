import { Entity } from 'typeorm';

import { type Micro, micro } from '../kernel/money';
import { JsonColumn, MicroColumn, TextColumn } from '../platform/database/columns';

/** The defaults of owners without settings. Nobody is warned of daily spending unless they ask for it. */
export const ALERT_DEFAULTS = { balanceLow: micro(1_000_000n), keyPercent: [80, 100] } as const;

/** The alert settings of an owner; a missing one has the default. */
@Entity('alert_setting')
export class AlertSetting {
  @TextColumn({ primary: true }) readonly owner: string;
  /** At 0, no balance is too low. */
  @MicroColumn({ nullable: true }) readonly balanceLow?: Micro;
  @MicroColumn({ nullable: true }) readonly spendDay?: Micro;
  @JsonColumn({ nullable: true }) readonly keyPercent?: readonly number[];
}
