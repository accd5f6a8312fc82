import type { Micro } from '../kernel/money';
import type { ApiKey } from './api-key.entity';

/** A key as its owner sees it, with what it was used for. */
export type UsedKey = ApiKey & {
  readonly requestCount: number;
  /** Of the same 30 days that the spend limit looks at. */
  readonly spend30d: Micro;
  readonly lastUsedAt?: Date;
};

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
