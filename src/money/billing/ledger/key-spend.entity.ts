import { Entity } from 'typeorm';

import type { Micro } from '#kernel/money';
import { CountColumn, DateColumn, MicroColumn, TextColumn, TimeColumn } from '#platform/database/columns';

/** The spending of a key on a day of UTC. The database compares the sum of 30 days with the key's limit. */
@Entity('key_spend')
export class KeySpend {
  @TextColumn({ primary: true }) readonly keyId: string;
  @DateColumn({ primary: true }) readonly day: string;
  @MicroColumn() readonly spent: Micro;
  @CountColumn() readonly calls: number;
  @TimeColumn({ default: () => 'now()' }) readonly lastAt: Date;
}
