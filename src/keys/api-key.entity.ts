import { Entity } from 'typeorm';

import type { Micro } from '../kernel/money';
import type { WalletAddress } from '../kernel/wallet-address';
import {
  BooleanColumn,
  BytesColumn,
  ComputedColumn,
  JsonColumn,
  ListColumn,
  MicroColumn,
  SmallintColumn,
  TextColumn,
  TimeColumn,
} from '../platform/database/columns';
import type { KeyScopes } from './key-scopes';
import type { SetBy } from './key-set-by';

export type KeyState = 'active' | 'disabled' | 'expired';

/** An API key. Only the hash of the key itself is kept. */
@Entity('api_key')
export class ApiKey {
  @TextColumn({ primary: true }) readonly id: string;
  /** Whose money it spends: an account's, or a wallet's. */
  @TextColumn({ nullable: true }) readonly accountId?: string;
  @TextColumn({ nullable: true }) readonly wallet?: WalletAddress;
  /** Who made it for an organisation that is not their own; it works for no longer than they may have keys there. */
  @TextColumn({ nullable: true }) readonly memberId?: string;
  @TextColumn() readonly name: string;
  @BytesColumn({ select: false }) readonly hash?: Buffer;
  /** The secret that it was made with, which no other key may ever have. Absent where that is not known. */
  @BytesColumn({ nullable: true, select: false }) readonly firstHash?: Buffer;
  @TextColumn() readonly prefix: string;
  @BooleanColumn({ default: true }) readonly enabled: boolean;
  @TimeColumn({ nullable: true }) readonly expiresAt?: Date;
  /** Of 30 days, of a day and of a month of UTC, and of its whole life. */
  @MicroColumn({ nullable: true }) readonly spendLimit?: Micro;
  @MicroColumn({ nullable: true }) readonly dayLimit?: Micro;
  @MicroColumn({ nullable: true }) readonly monthLimit?: Micro;
  @MicroColumn({ nullable: true }) readonly totalLimit?: Micro;
  /** What it may be used for; absent is everything that the keys above it may. */
  @JsonColumn({ nullable: true }) readonly scopes?: KeyScopes;
  /** In which role each of these settings was last set. */
  @JsonColumn({ default: () => `'{}'` }) readonly setBy: SetBy;
  /** The key that made it; absent where an account or a wallet did so itself. */
  @TextColumn({ nullable: true }) readonly parentId?: string;
  /** All keys above it, the root first. */
  @ListColumn({ default: () => `'{}'` }) readonly above: readonly string[];
  /** Those of them that its calls count against: the others have counted what is set aside for it. */
  @ListColumn({ default: () => `'{}'` }) readonly countedAbove: readonly string[];
  /** How often the money was handed on: 0 for a key of the account's own. */
  @SmallintColumn({ default: 0 }) readonly depth: number;
  /** The key, itself or above it, whose reserve pays. */
  @TextColumn({ nullable: true }) readonly reserveId?: string;
  /** The secret before this one, while both work, and when each was last used since the change. */
  @BytesColumn({ nullable: true, select: false }) readonly previousHash?: Buffer;
  @TimeColumn({ nullable: true }) readonly previousUntil?: Date;
  @TimeColumn({ nullable: true }) readonly previousUsedAt?: Date;
  @TimeColumn({ nullable: true }) readonly rotatedAt?: Date;
  @TimeColumn({ nullable: true }) readonly usedAt?: Date;
  /** Of the sign-in that made it: each makes one key. */
  @TextColumn({ nullable: true, select: false }) readonly signInNonce?: string;
  @TimeColumn({ default: () => 'now()' }) readonly createdAt: Date;
  /** For good. The row stays, because charges name it. */
  @TimeColumn({ nullable: true, select: false }) readonly deletedAt?: Date;
  /** What the call that made it looked like, when that was marked. */
  @BytesColumn({ nullable: true, select: false }) readonly madeBy?: Buffer;
  /** Expiry is judged by the database's clock, which all processes share. */
  @ComputedColumn(
    'text',
    (key) =>
      `case when ${key}.expires_at <= now() then 'expired' when ${key}.enabled then 'active' else 'disabled' end`,
  )
  readonly state: KeyState;
}
