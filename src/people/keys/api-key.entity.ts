import { Entity } from 'typeorm';

import type { Micro } from '#kernel/money';
import type { WalletAddress } from '#kernel/wallet-address';
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
} from '#platform/database/columns';
import type { KeyScopes } from './key-scopes';
import type { SetBy } from './key-set-by';

/** The app that acts by the key: its name as it gives it, and the host that it was connected from. */
export interface KeyApp {
  readonly name: string;
  readonly host: string;
}

export type KeyState = 'active' | 'disabled' | 'expired';

/** An API key. Only a hash of its secret is stored. */
@Entity('api_key')
export class ApiKey {
  @TextColumn({ primary: true }) readonly id: string;
  /** The payer: an account or a wallet. */
  @TextColumn({ nullable: true }) readonly accountId?: string;
  @TextColumn({ nullable: true }) readonly wallet?: WalletAddress;
  /** The member who made it for an organisation. It works only while that member may have keys there. */
  @TextColumn({ nullable: true }) readonly memberId?: string;
  @TextColumn() readonly name: string;
  /** The app that a person has connected. Nobody has the secret of such a key, because access tokens stand for it. */
  @JsonColumn({ nullable: true }) readonly app?: KeyApp;
  @BytesColumn({ select: false }) readonly hash?: Buffer;
  /** Its first secret, which no other key may ever get. Absent if it is unknown. */
  @BytesColumn({ nullable: true, select: false }) readonly firstHash?: Buffer;
  @TextColumn() readonly prefix: string;
  @BooleanColumn({ default: true }) readonly enabled: boolean;
  @TimeColumn({ nullable: true }) readonly expiresAt?: Date;
  /** The limits of 30 days, of a day and a month of UTC, and of its whole life. */
  @MicroColumn({ nullable: true }) readonly spendLimit?: Micro;
  @MicroColumn({ nullable: true }) readonly dayLimit?: Micro;
  @MicroColumn({ nullable: true }) readonly monthLimit?: Micro;
  @MicroColumn({ nullable: true }) readonly totalLimit?: Micro;
  /** Its scopes; if absent, it may do everything that the keys above it may do. */
  @JsonColumn({ nullable: true }) readonly scopes?: KeyScopes;
  /** The role that last set each of these settings. */
  @JsonColumn({ default: () => `'{}'` }) readonly setBy: SetBy;
  /** The key that made it; absent if an account or a wallet did. */
  @TextColumn({ nullable: true }) readonly parentId?: string;
  /** All keys above it, the root first. */
  @ListColumn({ default: () => `'{}'` }) readonly above: readonly string[];
  /** The keys above whose limits count its calls. The others have already counted its reserve. */
  @ListColumn({ default: () => `'{}'` }) readonly countedAbove: readonly string[];
  /** The level of delegation: 0 for a key that the account itself made. */
  @SmallintColumn({ default: 0 }) readonly depth: number;
  /** The key whose reserve pays: this key, or one above it. */
  @TextColumn({ nullable: true }) readonly reserveId?: string;
  /** The previous secret while both work, and the last uses of both since the change. */
  @BytesColumn({ nullable: true, select: false }) readonly previousHash?: Buffer;
  @TimeColumn({ nullable: true }) readonly previousUntil?: Date;
  @TimeColumn({ nullable: true }) readonly previousUsedAt?: Date;
  @TimeColumn({ nullable: true }) readonly rotatedAt?: Date;
  @TimeColumn({ nullable: true }) readonly usedAt?: Date;
  /** The nonce of the sign-in that made it. Each sign-in makes only one key. */
  @TextColumn({ nullable: true, select: false }) readonly signInNonce?: string;
  @TimeColumn({ default: () => 'now()' }) readonly createdAt: Date;
  /** Deletion is final. The row stays, because charges name it. */
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
