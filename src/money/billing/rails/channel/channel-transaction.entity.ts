import { Entity } from 'typeorm';

import type { Micro } from '#kernel/money';
import { IntegerColumn, MicroColumn, TextColumn, TimeColumn } from '#platform/database/columns';
import type { Hex } from '../x402/proof/signed-payment';

/** A transaction that moved money of channels. */
@Entity('channel_transaction')
export class ChannelTransaction {
  @TextColumn({ primary: true }) readonly hash: Hex;
  @TextColumn({ primary: true }) readonly kind: 'deposit' | 'claim' | 'payout' | 'refund';
  /** The channel of a deposit or a refund. */
  @TextColumn({ nullable: true }) readonly channelId?: Hex;
  @TextColumn() readonly network: string;
  @IntegerColumn() readonly channels: number;
  @MicroColumn() readonly amount: Micro;
  @TimeColumn({ default: () => 'now()' }) readonly createdAt: Date;
}
