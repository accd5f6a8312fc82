import { Entity } from 'typeorm';

import { type Micro, micro } from '../kernel/money';
import { JsonColumn, MicroColumn, TextColumn } from '../platform/database/columns';

/** What holds for who has said nothing else. Nobody is warned of what they spend in a day unless they ask for it. */
export const ALERT_DEFAULTS = { balanceLow: micro(1_000_000n), keyPercent: [80, 100] } as const;

/** What an owner wants to be warned of; what is absent is as it is for everybody. */
@Entity('alert_setting')
export class AlertSetting {
  @TextColumn({ primary: true }) readonly owner: string;
  /** None at 0. */
  @MicroColumn({ nullable: true }) readonly balanceLow?: Micro;
  @MicroColumn({ nullable: true }) readonly spendDay?: Micro;
  @JsonColumn({ nullable: true }) readonly keyPercent?: readonly number[];
}
