import { Entity } from 'typeorm';

import type { Micro } from '#kernel/money';
import { BooleanColumn, MicroColumn, TextColumn, TimeColumn } from '#platform/database/columns';
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
  /** Whether a saved card pays, without a person. `customer` and `paymentMethod` name that card. */
  @BooleanColumn({ default: false }) readonly automatic: boolean;
  @TextColumn({ nullable: true }) readonly customer?: string;
  @TextColumn({ nullable: true }) readonly paymentMethod?: string;
  /** The amount that the processor has refunded to the card. A refund does not change the credits. */
  @MicroColumn({ default: 0 }) readonly refunded: Micro;
  @TimeColumn({ default: () => 'now()' }) readonly createdAt: Date;
  @TimeColumn({ nullable: true }) readonly decidedAt?: Date;
}
