import { Entity } from 'typeorm';

import type { Micro } from '#kernel/money';
import { CountColumn, DateColumn, MicroColumn, TextColumn } from '#platform/database/columns';

/** The spending of a payer on a day of UTC. It contains only the hours before the cursor's `through`. */
@Entity('usage_day')
export class UsageDay {
  @TextColumn({ primary: true }) readonly payer: string;
  @DateColumn({ primary: true }) readonly day: string;
  /** `modelId` and `keyId` are empty if the charge has none, because a primary key can't contain null. */
  @TextColumn({ primary: true }) readonly modelId: string;
  @TextColumn({ primary: true }) readonly keyId: string;
  @CountColumn() readonly calls: number;
  @MicroColumn() readonly spent: Micro;
  @CountColumn({ default: 0 }) readonly inputTokens: number;
  @CountColumn({ default: 0 }) readonly outputTokens: number;
}
