import { Entity } from 'typeorm';

import type { Micro } from '../kernel/money';
import { CountColumn, DateColumn, MicroColumn, TextColumn } from '../platform/database/columns';
import type { ProviderName } from '../providers/provider-name';

/** The cost of calls at one route of a model on a day of UTC, as one process has counted it. */
@Entity('vendor_cost_day')
export class VendorCostDay {
  @DateColumn({ primary: true }) readonly day: string;
  @TextColumn({ primary: true }) readonly provider: ProviderName;
  /** The provider's own name of the model. */
  @TextColumn({ primary: true }) readonly providerModel: string;
  @TextColumn({ primary: true }) readonly modelId: string;
  /** Each process writes its own rows completely, so that a write may be repeated. */
  @TextColumn({ primary: true }) readonly process: string;
  @CountColumn() readonly calls: number;
  /** The calls among them whose answer was not used, such as the slower of two hedged requests. */
  @CountColumn() readonly unusedCalls: number;
  @MicroColumn() readonly cost: Micro;
  /** The part of the cost that the vendor's answers named. The rest is computed from rates. */
  @MicroColumn({ name: 'told_micro' }) readonly reported: Micro;
}
