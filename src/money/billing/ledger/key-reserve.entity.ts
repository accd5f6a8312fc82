import { Entity } from 'typeorm';

import type { Micro } from '#kernel/money';
import { DateColumn, ListColumn, MicroColumn, TextColumn, TimeColumn } from '#platform/database/columns';

/** The reserve of a key and of the keys below it, as a part of the account's reserved money. */
@Entity('key_reserve')
export class KeyReserve {
  @TextColumn({ primary: true }) readonly keyId: string;
  @TextColumn() readonly accountId: string;
  @MicroColumn() readonly left: Micro;
  /** The key from whose reserve this reserve was taken. */
  @TextColumn({ nullable: true }) readonly outOf?: string;
  /** The keys and the budget that the reserve counts against, on `day`. */
  @ListColumn() readonly counted: readonly string[];
  @DateColumn() readonly day: string;
  /** The time at which the unspent rest was returned. */
  @TimeColumn({ nullable: true }) readonly endedAt?: Date;
}
