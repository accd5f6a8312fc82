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
  /** The payer: an account or a wallet. */
  @TextColumn({ nullable: true }) readonly accountId?: string;
  @TextColumn({ nullable: true }) readonly wallet?: WalletAddress;
  /** The member who made it for an organisation. It works only while that member may have keys there. */
  @TextColumn({ nullable: true }) readonly memberId?: string;
  @TextColumn() readonly name: string;
  @BytesColumn({ select: false }) readonly hash?: Buffer;
  /** Its first secret, which no other key may ever have. Absent if it is unknown. */
  @BytesColumn({ nullable: true, select: false }) readonly firstHash?: Buffer;
  @TextColumn() readonly prefix: string;
  @BooleanColumn({ default: true }) readonly enabled: boolean;
  @TimeColumn({ nullable: true }) readonly expiresAt?: Date;
  /** Of 30 days, of a day and of a month of UTC, and of its whole life. */
  @MicroColumn({ nullable: true }) readonly spendLimit?: Micro;
  @MicroColumn({ nullable: true }) readonly dayLimit?: Micro;
  @MicroColumn({ nullable: true }) readonly monthLimit?: Micro;
  @MicroColumn({ nullable: true }) readonly totalLimit?: Micro;
  /** Its scopes; absent allows all that the keys above it may do. */
  @JsonColumn({ nullable: true }) readonly scopes?: KeyScopes;
  /** The role that last set each of these settings. */
  @JsonColumn({ default: () => `'{}'` }) readonly setBy: SetBy;
  /** The key that made it; absent if an account or a wallet did. */
  @TextColumn({ nullable: true }) readonly parentId?: string;
  /** All keys above it, the root first. */
  @ListColumn({ default: () => `'{}'` }) readonly above: readonly string[];
  /** Those of them that its calls count against: the others have already counted its reserve. */
  @ListColumn({ default: () => `'{}'` }) readonly countedAbove: readonly string[];
  /** The level of delegation: 0 for a key of the account's own. */
  @SmallintColumn({ default: 0 }) readonly depth: number;
  /** The key, itself or above it, whose reserve pays. */
  @TextColumn({ nullable: true }) readonly reserveId?: string;
  /** The secret before this one, while both work, and their last uses since the change. */
  @BytesColumn({ nullable: true, select: false }) readonly previousHash?: Buffer;
  @TimeColumn({ nullable: true }) readonly previousUntil?: Date;
  @TimeColumn({ nullable: true }) readonly previousUsedAt?: Date;
  @TimeColumn({ nullable: true }) readonly rotatedAt?: Date;
  @TimeColumn({ nullable: true }) readonly usedAt?: Date;
  /** The nonce of the sign-in that made it: each makes one key. */
  @TextColumn({ nullable: true, select: false }) readonly signInNonce?: string;
  @TimeColumn({ default: () => 'now()' }) readonly createdAt: Date;
  /** Final. The row stays, because charges name it. */
  @TimeColumn({ nullable: true, select: false }) readonly deletedAt?: Date;
  /** The fingerprint of the call that made it, if it had an idempotency key. */
  @BytesColumn({ nullable: true, select: false }) readonly madeBy?: Buffer;
  /** The database's clock decides about expiry, because all processes share it. */
  @ComputedColumn(
    'text',
    (key) =>
      `case when ${key}.expires_at <= now() then 'expired' when ${key}.enabled then 'active' else 'disabled' end`,
  )
  readonly state: KeyState;
}
