import { Entity } from 'typeorm';

import { BigintColumn, CountColumn, IntegerColumn, TextColumn } from '#platform/database/columns';

/** The checkpoint that was written on the chain on one day. */
@Entity('transparency_anchor')
export class TransparencyAnchor {
  @TextColumn({ primary: true }) readonly day: string;
  @IntegerColumn() readonly logId: number;
  @CountColumn() readonly size: number;
  /** The checkpoint with the signatures of this service, as the transaction contains it. */
  @TextColumn() readonly note: string;
  @TextColumn() readonly network: string;
  /** Undefined until the transaction is sent, or if the process died before it stored the hash. */
  @TextColumn({ nullable: true }) readonly transaction?: string;
  /** Undefined until the transaction is in a block. */
  @BigintColumn({ nullable: true }) readonly block?: bigint;
}
