import { Entity } from 'typeorm';

import type { Micro } from '#kernel/money';
import { BigintColumn, MicroColumn, TextColumn } from '#platform/database/columns';

/** The prepaid money of one wallet or account. */
@Entity('ledger_account')
export class LedgerAccount {
  /** `wallet:0x…` or `credits:acc_…`. */
  @TextColumn({ primary: true }) readonly id: string;
  @MicroColumn({ default: 0 }) readonly balance: Micro;
  /** The part of the balance that running by-use calls and the reserves of keys hold. */
  @MicroColumn({ default: 0 }) readonly reserved: Micro;
  /** The sequence of the account's newest entry. */
  @BigintColumn({ default: 0 }) readonly lastSeq: bigint;
}
