import { Entity } from 'typeorm';

import type { Micro } from '#kernel/money';
import { CountColumn, DateColumn, MicroColumn, TextColumn } from '#platform/database/columns';

/** The revenue of a model on a day of UTC. It contains only the hours before the cursor's `through`. */
@Entity('sales_day')
export class SalesDay {
  @DateColumn({ primary: true }) readonly day: string;
  /** Empty if the charge has no model. */
  @TextColumn({ primary: true }) readonly modelId: string;
  @CountColumn() readonly calls: number;
  @MicroColumn() readonly revenue: Micro;
}
