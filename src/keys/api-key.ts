import type { Micro } from '../kernel/money';

export type KeyState = 'active' | 'disabled' | 'expired';

/** A key as its owner sees it. Only the hash of the key itself is kept. */
export interface ApiKey {
  readonly id: string;
  readonly name: string;
  readonly prefix: string;
  readonly enabled: boolean;
  readonly state: KeyState;
  readonly createdAt: Date;
  readonly expiresAt?: Date;
  readonly spendLimit?: Micro;
  readonly requestCount: number;
  readonly spend30d: Micro;
  readonly lastUsedAt?: Date;
}

/** What a new key starts with. */
export interface NewKey {
  readonly id: string;
  readonly accountId: string;
  readonly name: string;
  readonly hash: Buffer;
  readonly prefix: string;
  /** Null is never. */
  readonly expiresInDays: number | null;
  readonly spendLimitMicro: number | null;
  /** What the call looked like, when it was marked. */
  readonly madeBy?: Buffer;
}

/** Undefined leaves a thing as it is, null takes it away. */
export interface KeyChange {
  readonly name?: string;
  readonly enabled?: boolean;
  readonly expiresInDays?: number | null;
  readonly spendLimitMicro?: number | null;
}
