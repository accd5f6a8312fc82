import { Entity } from 'typeorm';

import type { Micro } from '#kernel/money';
import { MicroColumn, TextColumn, TimeColumn } from '#platform/database/columns';

export const STRAY_STATES = ['open', 'credited', 'closed'] as const;
export type StrayState = (typeof STRAY_STATES)[number];

/** A payment that a processor took and that bought no credits. */
@Entity('stray_payment')
export class StrayPayment {
  @TextColumn({ primary: true }) readonly id: string;
  @TextColumn() readonly processor: string;
  /** The processor's own name for the payment, by which an operator finds it there. */
  @TextColumn() readonly reference: string;
  @TextColumn({ select: false }) readonly eventId?: string;
  @TextColumn({ nullable: true }) readonly topUpId?: string;
  @TextColumn({ nullable: true }) readonly accountId?: string;
  /** The reason why it bought none. */
  @TextColumn() readonly outcome: string;
  @MicroColumn({ nullable: true }) readonly amount?: Micro;
  @TextColumn({ nullable: true }) readonly currency?: string;
  @TextColumn({ default: 'open' }) readonly state: StrayState;
  @TimeColumn({ default: () => 'now()' }) readonly createdAt: Date;
  @TimeColumn({ nullable: true }) readonly resolvedAt?: Date;
}
