import { Entity } from 'typeorm';

import type { Micro } from '#kernel/money';
import { CountColumn, DateColumn, MicroColumn, TextColumn } from '#platform/database/columns';
import type { ProviderName } from '#models/providers/provider-name';

/** The cost of calls at one route of a model on a day of UTC. Each process counts its own calls. */
@Entity('vendor_cost_day')
export class VendorCostDay {
  @DateColumn({ primary: true }) readonly day: string;
  @TextColumn({ primary: true }) readonly provider: ProviderName;
  /** The provider's own name of the model. */
  @TextColumn({ primary: true }) readonly providerModel: string;
  @TextColumn({ primary: true }) readonly modelId: string;
  /** A process always writes the whole total of its own row, so it may repeat a write. */
  @TextColumn({ primary: true }) readonly process: string;
  @CountColumn() readonly calls: number;
  /** The number of these calls whose answer was not used, such as the slower of two hedged requests. */
  @CountColumn() readonly unusedCalls: number;
  @MicroColumn() readonly cost: Micro;
  /** The part of the cost that the vendor's answers contained. The service computes the rest from rates. */
  @MicroColumn({ name: 'told_micro' }) readonly reported: Micro;
}
