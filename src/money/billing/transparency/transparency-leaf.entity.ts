import { Entity } from 'typeorm';

import type { Micro } from '#kernel/money';
import {
  BigintColumn,
  BytesColumn,
  CountColumn,
  IntegerColumn,
  MicroColumn,
  TextColumn,
  TimeColumn,
} from '#platform/database/columns';

/** A leaf of a log. Leaves are never changed or deleted. */
@Entity('transparency_leaf')
export class TransparencyLeaf {
  @IntegerColumn({ primary: true }) readonly logId: number;
  @CountColumn({ primary: true }) readonly leafIndex: number;
  /** `credits:acc_…/7` for a ledger entry, `ch_….charged` for the end of a charge. */
  @TextColumn() readonly entryId: string;
  /** The account's id, or the wallet in lower case. */
  @TextColumn() readonly owner: string;
  /** The sequence of the owner's newest ledger entry, and the balance after it. */
  @BigintColumn() readonly seq: bigint;
  @MicroColumn() readonly balance: Micro;
  @TimeColumn() readonly at: Date;
  @BytesColumn() readonly salt: Buffer;
  @BytesColumn() readonly commitment: Buffer;
}
