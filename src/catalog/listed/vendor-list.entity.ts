import { Entity } from 'typeorm';

import { JsonColumn, TextColumn, TimeColumn } from '../../platform/database/columns';
import type { OfferedModel } from './offered-model';

/** The last good list of a vendor's models. */
@Entity('vendor_list')
export class VendorList {
  @TextColumn({ primary: true }) readonly vendor: string;
  @JsonColumn() readonly models: readonly OfferedModel[];
  @TimeColumn({ default: () => 'now()' }) readonly readAt: Date;
}
