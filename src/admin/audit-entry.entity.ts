import { Entity } from 'typeorm';

import type { Micro } from '../kernel/money';
import { BigintColumn, MicroColumn, TextColumn, TimeColumn } from '../platform/database/columns';

export type AdminAction =
  | 'ban'
  | 'unban'
  | 'credit'
  | 'close_payment'
  | 'refused'
  | 'retry_webhook'
  | 'switch_off'
  | 'switch_on';

/** What an operator did. It can only be added to; the database refuses anything else. */
@Entity('admin_audit')
export class AuditEntry {
  @BigintColumn({ name: 'seq', primary: true }) readonly sequence: bigint;
  @TextColumn() readonly action: AdminAction;
  /** Empty where no account is meant. */
  @TextColumn() readonly accountId: string;
  /** What it is about, where that is no account. */
  @TextColumn({ nullable: true }) readonly subject?: string;
  @MicroColumn({ nullable: true }) readonly amount?: Micro;
  @TextColumn({ nullable: true }) readonly reason?: string;
  /** What makes a repeated call the same one. */
  @TextColumn({ nullable: true }) readonly mark?: string;
  /** Absent of those from before operators had names, and where nobody was let in. */
  @TextColumn({ nullable: true }) readonly operator?: string;
  @TextColumn() readonly requestId: string;
  @TextColumn() readonly ip: string;
  @TimeColumn({ default: () => 'now()' }) readonly createdAt: Date;
}
