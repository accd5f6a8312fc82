import { Entity } from 'typeorm';

import { BigintColumn, SmallintColumn, TextColumn, TimeColumn } from '#platform/database/columns';

/**
 * The invoice of a paid top-up. It copies the seller and the buyer of that moment, and the database refuses changes.
 */
@Entity('invoice')
export class Invoice {
  @BigintColumn({ primary: true }) readonly number: bigint;
  @TextColumn() readonly topUpId: string;
  @TextColumn({ nullable: true }) readonly sellerName?: string;
  @TextColumn({ nullable: true }) readonly sellerAddress?: string;
  @TextColumn({ nullable: true }) readonly sellerTaxId?: string;
  @TextColumn({ nullable: true }) readonly buyerName?: string;
  @TextColumn({ nullable: true }) readonly buyerLines?: string;
  @TextColumn({ nullable: true }) readonly buyerCountry?: string;
  @TextColumn({ nullable: true }) readonly buyerTaxId?: string;
  @TimeColumn({ default: () => 'now()' }) readonly issuedAt: Date;
}

/** The last invoice number, in one row. The row's lock serialises invoices, so their numbers have no gap. */
@Entity('invoice_counter')
export class InvoiceCounter {
  @SmallintColumn({ primary: true }) readonly id: number;
  @BigintColumn() readonly last: bigint;
}
