import { Entity } from 'typeorm';

import { TextColumn } from '#platform/database/columns';

/** The buyer on the invoices of an account or an organisation. */
@Entity('billing_address')
export class BillingAddress {
  @TextColumn({ primary: true }) readonly accountId: string;
  @TextColumn() readonly name: string;
  /** Street, postcode and city, with line breaks. */
  @TextColumn() readonly lines: string;
  /** Two letters of ISO 3166. */
  @TextColumn() readonly country: string;
  @TextColumn({ nullable: true }) readonly taxId?: string;
}
