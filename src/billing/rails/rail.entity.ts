import { Entity } from 'typeorm';

import { BooleanColumn, TextColumn } from '../../platform/database/columns';

/** A way to pay that charges may name. */
@Entity('rail')
export class RailRow {
  @TextColumn({ primary: true }) readonly name: string;
  /** Whether its charges, and no others, debit an account of the ledger. */
  @BooleanColumn() readonly isPrepaid: boolean;
}
