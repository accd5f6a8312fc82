import { Entity } from 'typeorm';

import { TextColumn, TimeColumn } from '#platform/database/columns';

/** A message of a processor, once, and its result. */
@Entity('payment_event')
export class PaymentEvent {
  @TextColumn({ primary: true }) readonly id: string;
  @TextColumn() readonly processor: string;
  @TextColumn() readonly kind: string;
  @TextColumn({ nullable: true }) readonly topUpId?: string;
  @TextColumn() readonly outcome: string;
  @TimeColumn({ default: () => 'now()' }) readonly createdAt: Date;
}
