import { Entity } from 'typeorm';

import type { Micro } from '#kernel/money';
import {
  BooleanColumn,
  MicroColumn,
  SmallintColumn,
  TextColumn,
  TimeColumn,
} from '#platform/database/columns';

/** The saved card of an account, and when it is charged. */
@Entity('auto_top_up')
export class AutoTopUp {
  @TextColumn({ primary: true }) readonly accountId: string;
  /** The processor's own names for the payer and the card. */
  @TextColumn({ nullable: true }) readonly customer?: string;
  @TextColumn({ nullable: true }) readonly paymentMethod?: string;
  /** The card's brand, last digits and expiry, for people. */
  @TextColumn({ nullable: true }) readonly card?: string;
  /** The owner who saved the card. It is charged only while they are an owner. */
  @TextColumn({ nullable: true }) readonly cardBy?: string;
  /** The newest page that was opened for saving a card; older pages save nothing. */
  @TextColumn({ nullable: true }) readonly setupReference?: string;
  @TextColumn({ nullable: true }) readonly setupBy?: string;
  @BooleanColumn({ default: false }) readonly enabled: boolean;
  @MicroColumn({ nullable: true }) readonly below?: Micro;
  @MicroColumn({ nullable: true }) readonly amount?: Micro;
  /** The most in a month of UTC. */
  @MicroColumn({ nullable: true }) readonly month?: Micro;
  /** Failed charges since the last one that succeeded. */
  @SmallintColumn({ default: 0 }) readonly failures: number;
  @TextColumn({ nullable: true }) readonly lastFailure?: string;
  @TimeColumn({ nullable: true }) readonly retryAt?: Date;
}
