import { Entity } from 'typeorm';

import type { Micro } from '../../kernel/money';
import { CountColumn, DateColumn, MicroColumn, TextColumn } from '../../platform/database/columns';

/** What a payer was charged on a day of UTC, of the hours that have been added up. `through` of the cursor says which. */
@Entity('usage_day')
export class UsageDay {
  @TextColumn({ primary: true }) readonly payer: string;
  @DateColumn({ primary: true }) readonly day: string;
  /** Empty where the charge names none; a key can not be null in a primary key either. */
  @TextColumn({ primary: true }) readonly modelId: string;
  @TextColumn({ primary: true }) readonly keyId: string;
  @CountColumn() readonly calls: number;
  @MicroColumn() readonly spent: Micro;
}
