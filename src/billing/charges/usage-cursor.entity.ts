import { Entity } from 'typeorm';

import { SmallintColumn, TimeColumn } from '../../platform/database/columns';

/** How far charges have been added up. One row: whoever holds its lock does so. */
@Entity('usage_cursor')
export class UsageCursor {
  @SmallintColumn({ primary: true, default: 1 }) readonly id: number;
  /** Charges that were made before stand in `usage_day`, as they were at `refundsThrough`. */
  @TimeColumn() readonly through: Date;
  @TimeColumn() readonly refundsThrough: Date;
}
