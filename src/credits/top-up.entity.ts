import { Entity } from 'typeorm';

import type { Micro } from '../kernel/money';
import { MicroColumn, TextColumn, TimeColumn } from '../platform/database/columns';
import type { ProcessorName } from './payment-processor';

export type TopUpState = 'pending' | 'paid' | 'refused';

/** Credits that somebody buys by a payment processor. */
@Entity('credit_top_up')
export class TopUp {
  @TextColumn({ primary: true }) readonly id: string;
  @TextColumn() readonly accountId: string;
  @MicroColumn() readonly amount: Micro;
  @TextColumn() readonly processor: ProcessorName;
  /** The processor's own name for the payment. */
  @TextColumn({ nullable: true }) readonly reference?: string;
  @TextColumn({ nullable: true }) readonly checkoutUrl?: string;
  @TextColumn({ nullable: true }) readonly mark?: string;
  @TextColumn({ default: 'pending' }) readonly state: TopUpState;
  @TextColumn({ nullable: true }) readonly refusal?: string;
  @TimeColumn({ default: () => 'now()' }) readonly createdAt: Date;
  @TimeColumn({ nullable: true }) readonly decidedAt?: Date;
}
