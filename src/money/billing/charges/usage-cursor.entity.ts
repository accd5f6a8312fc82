import { Entity } from 'typeorm';

import { SmallintColumn, TimeColumn } from '#platform/database/columns';

/** The cursor of the summed charges, in one row. The process that holds the row's lock adds up the charges. */
@Entity('usage_cursor')
export class UsageCursor {
  @SmallintColumn({ primary: true, default: 1 }) readonly id: number;
  /** `usage_day` contains the charges before this time, as they were at `refundsThrough`. */
  @TimeColumn() readonly through: Date;
  @TimeColumn() readonly refundsThrough: Date;
}
