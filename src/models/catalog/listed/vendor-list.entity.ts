import { Entity } from 'typeorm';

import { JsonColumn, TextColumn, TimeColumn } from '#platform/database/columns';
import type { RateTexts } from '../rates';
import type { OfferedModel } from './offered-model';

/** The last good list of a vendor's models. It is empty if the vendor never listed any. */
@Entity('vendor_list')
export class VendorList {
  @TextColumn({ primary: true }) readonly vendor: string;
  @JsonColumn() readonly models: readonly OfferedModel[];
  @TimeColumn({ default: () => 'now()' }) readonly readAt: Date;
  /** Why the vendor did not list its models when it was last asked. */
  @TextColumn({ nullable: true }) readonly problem?: string;
  /** The held prices to which an operator agreed. They can be undone. No column. */
  readonly agreed?: readonly { readonly model: OfferedModel; readonly rates: RateTexts }[];
}

/** An operator's agreement to a held price. Without a model and rates: to a list that lacks most of its models. */
@Entity('list_agreement')
export class ListAgreement {
  @TextColumn({ primary: true }) readonly vendor: string;
  @TextColumn({ primary: true }) readonly model: string;
  @JsonColumn({ nullable: true }) readonly rates?: RateTexts;
  /** The model with its held price. */
  @JsonColumn({ nullable: true }) readonly before?: OfferedModel | null;
  @TimeColumn({ default: () => 'now()' }) readonly agreedAt: Date;
}
