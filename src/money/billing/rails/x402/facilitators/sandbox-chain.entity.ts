import { Entity } from 'typeorm';

import type { Micro } from '#kernel/money';
import type { WalletAddress } from '#kernel/wallet-address';
import { HexColumn, MicroColumn, TextColumn, TimeColumn } from '#platform/database/columns';
import type { Hex } from '../proof/signed-payment';

/** A wallet with counted money in the sandbox. A wallet without a row has unlimited money. */
@Entity('sandbox_wallet')
export class SandboxWallet {
  @TextColumn({ primary: true }) readonly wallet: WalletAddress;
  @MicroColumn() readonly balance: Micro;
}

/** The outcome of a nonce in the sandbox. */
@Entity('sandbox_authorization')
export class SandboxAuthorization {
  /** Empty in rows from the time when the service had a single network. */
  @TextColumn({ primary: true, default: '' }) readonly network: string;
  @TextColumn({ primary: true }) readonly payer: WalletAddress;
  @HexColumn({ primary: true }) readonly nonce: Hex;
  @TextColumn() readonly outcome: 'used' | 'cancelled';
  @TextColumn({ nullable: true }) readonly payTo?: WalletAddress;
  @MicroColumn({ nullable: true }) readonly amount?: Micro;
  @TextColumn({ name: 'tx_hash', nullable: true }) readonly transaction?: string;
  @TimeColumn({ default: () => 'now()' }) readonly createdAt: Date;
}
