import { Entity } from 'typeorm';

import type { Micro } from '../../kernel/money';
import { DateColumn, ListColumn, MicroColumn, TextColumn, TimeColumn } from '../../platform/database/columns';

/** The reserve of a key and of the keys below it. It is part of its account's reserved money. */
@Entity('key_reserve')
export class KeyReserve {
  @TextColumn({ primary: true }) readonly keyId: string;
  @TextColumn() readonly accountId: string;
  @MicroColumn() readonly left: Micro;
  /** The key whose reserve this one was taken from. */
  @TextColumn({ nullable: true }) readonly outOf?: string;
  /** The keys above whose limits the reserve counts against, on that day. */
  @ListColumn() readonly counted: readonly string[];
  @DateColumn() readonly day: string;
  /** The time at which the rest was returned. */
  @TimeColumn({ nullable: true }) readonly endedAt?: Date;
}
