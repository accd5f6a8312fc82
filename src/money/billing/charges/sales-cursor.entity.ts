import { Entity } from 'typeorm';

import { SmallintColumn, TimeColumn } from '#platform/database/columns';

/** The cursor of the summed revenue of models, as `UsageCursor` is the cursor of usage. */
@Entity('sales_cursor')
export class SalesCursor {
  @SmallintColumn({ primary: true, default: 1 }) readonly id: number;
  @TimeColumn() readonly through: Date;
  @TimeColumn() readonly refundsThrough: Date;
}
