import { Entity } from 'typeorm';

import type { Micro } from '#kernel/money';
import { MicroColumn, TextColumn } from '#platform/database/columns';
import type { Hex } from '../x402/proof/signed-payment';

/** The voucher of one call. */
@Entity('channel_voucher')
export class ChannelVoucher {
  @TextColumn({ primary: true }) readonly chargeId: string;
  @TextColumn() readonly channelId: Hex;
  @MicroColumn() readonly signed: Micro;
  /** The channel's charged total after this call; absent until the call is charged. */
  @MicroColumn({ nullable: true }) readonly total?: Micro;
}
