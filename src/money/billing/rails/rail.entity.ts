import { Entity } from 'typeorm';

import { BooleanColumn, TextColumn } from '#platform/database/columns';

/** A way to pay that charges may name. */
@Entity('rail')
export class RailRow {
  @TextColumn({ primary: true }) readonly name: string;
  /** Whether charges of this rail debit an account of the ledger. Charges of other rails must not. */
  @BooleanColumn() readonly isPrepaid: boolean;
}
