import { Entity } from 'typeorm';

import type { Micro } from '#kernel/money';
import { BigintColumn, MicroColumn, TextColumn, TimeColumn } from '#platform/database/columns';

export const ADMIN_ACTIONS = [
  'ban',
  'unban',
  'credit',
  'close_payment',
  'refused',
  'reset_link',
  'retry_webhook',
  'switch_off',
  'switch_on',
  'change_model',
  'agree_price',
] as const;
export type AdminAction = (typeof ADMIN_ACTIONS)[number];

/** An action of an operator. The table is append-only; the database refuses anything else. */
@Entity('admin_audit')
export class AuditEntry {
  @BigintColumn({ name: 'seq', primary: true }) readonly sequence: bigint;
  @TextColumn() readonly action: AdminAction;
  /** Empty if the action is not about an account. */
  @TextColumn() readonly accountId: string;
  /** The subject of the action, if it is not an account. */
  @TextColumn({ nullable: true }) readonly subject?: string;
  @MicroColumn({ nullable: true }) readonly amount?: Micro;
  @TextColumn({ nullable: true }) readonly reason?: string;
  /** Identifies the call, so that a repeated call adds no second entry. */
  @TextColumn({ nullable: true }) readonly mark?: string;
  /** Absent in older entries, and for refused operators. */
  @TextColumn({ nullable: true }) readonly operator?: string;
  @TextColumn() readonly requestId: string;
  @TextColumn() readonly ip: string;
  @TimeColumn({ default: () => 'now()' }) readonly createdAt: Date;
}
