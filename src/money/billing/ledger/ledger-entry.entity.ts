import { Entity } from 'typeorm';

import type { Micro } from '#kernel/money';
import { BigintColumn, MicroColumn, TextColumn, TimeColumn } from '#platform/database/columns';

/** The kinds of balance changes. The kind gives the direction; amounts are positive. */
export const ENTRY_KINDS = ['top_up', 'debit', 'refund'] as const;
export type EntryKind = (typeof ENTRY_KINDS)[number];

/** One change of a balance. The table is append-only: the database refuses updates and deletes. */
@Entity('ledger_entry')
export class LedgerEntry {
  @TextColumn({ primary: true }) readonly accountId: string;
  @BigintColumn({ name: 'seq', primary: true }) readonly sequence: bigint;
  @TextColumn() readonly kind: EntryKind;
  @MicroColumn() readonly amount: Micro;
  @MicroColumn() readonly balanceAfter: Micro;
  @TextColumn({ nullable: true }) readonly chargeId?: string;
  @TextColumn({ nullable: true }) readonly modelId?: string;
  /** The source of a top-up, or the mark of a debit without a charge. A source has at most one entry. */
  @TextColumn({ nullable: true, select: false }) readonly source?: string;
  @TextColumn({ nullable: true }) readonly transaction?: string;
  @TimeColumn({ default: () => 'now()' }) readonly createdAt: Date;
  /** The database transaction that wrote the entry. The transparency log finds new entries by this number. */
  @BigintColumn({ nullable: true, select: false, default: () => '((pg_current_xact_id())::text)' })
  readonly written?: bigint;
}

/** An entry with the network of its payment. */
export type NetworkEntry = LedgerEntry & { readonly network?: string | undefined };
