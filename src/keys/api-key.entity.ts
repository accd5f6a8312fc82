import { Entity } from 'typeorm';

import type { Micro } from '../kernel/money';
import {
  BooleanColumn,
  BytesColumn,
  ComputedColumn,
  MicroColumn,
  TextColumn,
  TimeColumn,
} from '../platform/database/columns';

export type KeyState = 'active' | 'disabled' | 'expired';

/** An API key. Only the hash of the key itself is kept. */
@Entity('api_key')
export class ApiKey {
  @TextColumn({ primary: true }) readonly id: string;
  @TextColumn() readonly accountId: string;
  @TextColumn() readonly name: string;
  @BytesColumn({ select: false }) readonly hash?: Buffer;
  @TextColumn() readonly prefix: string;
  @BooleanColumn({ default: true }) readonly enabled: boolean;
  @TimeColumn({ nullable: true }) readonly expiresAt?: Date;
  @MicroColumn({ nullable: true }) readonly spendLimit?: Micro;
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
