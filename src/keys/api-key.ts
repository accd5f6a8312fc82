import type { Micro } from '../kernel/money';
import type { WalletAddress } from '../kernel/wallet-address';
import type { ApiKey } from './api-key.entity';
import type { KeyScopes } from './key-scopes';
import type { SetBy } from './key-set-by';

/** A key as its owner sees it, with what it was used for. */
export type UsedKey = ApiKey & {
  readonly requestCount: number;
  /** In its whole life. */
  readonly spent: Micro;
  /** What is left of what was set aside for it. */
  readonly reserveLeft?: Micro;
  /** Of the same 30 days that the spend limit looks at. */
  readonly spend30d: Micro;
  readonly lastUsedAt?: Date;
  /** The person who made it, or that from which it was handed on; none of a wallet's. */
  readonly maker?: string;
};

/** What a key may spend in a day and in a month of UTC, and in its whole life. */
export interface SpendLimits {
  readonly dayMicro?: number;
  readonly monthMicro?: number;
  readonly totalMicro?: number;
}

/** Where a key hangs that money was handed to. */
export interface KeyParentage {
  readonly parentId?: string;
  readonly above: readonly string[];
  readonly countedAbove: readonly string[];
  readonly depth: number;
  readonly reserveId?: string;
  /** The hash of the secret by which the key above makes it, in base64. */
  readonly secretAbove?: string;
}

/** A key of a member that an owner or an admin has limited: what else this member makes is bound by it. */
export interface BindingKey {
  /** The keys that count its calls, itself included. */
  readonly counted: readonly string[];
  /** Where a lead has set them. */
  readonly scopes?: KeyScopes;
}

/** What a new key starts with. */
export interface NewKey {
  readonly id: string;
  /** Whose money it spends: one of the two. */
  readonly accountId?: string;
  readonly wallet?: WalletAddress;
  /** The person who makes it; none where a key or a wallet does. */
  readonly maker?: string;
  readonly name: string;
  readonly hash: Buffer;
  readonly prefix: string;
  /** Null is never. */
  readonly expiresInSeconds: number | null;
  readonly spendLimitMicro?: number | null;
  readonly spendLimits?: SpendLimits;
  readonly scopes?: KeyScopes;
  /** Where it hangs, when it was handed on. */
  readonly place?: KeyParentage;
  /** Other keys of its maker that count its calls, without being above it. */
  readonly countsAgainst?: readonly string[];
  readonly signInNonce?: string;
  readonly setBy?: SetBy;
  /** What the call looked like, when it was marked. */
  readonly madeBy?: Buffer;
}

/** Undefined leaves a thing as it is, null takes it away. */
export interface KeyChange {
  readonly name?: string;
  readonly enabled?: boolean;
  readonly expiresInDays?: number | null;
  readonly spendLimitMicro?: number | null;
  readonly spendLimits?: SpendLimits | null;
  readonly scopes?: KeyScopes | null;
}
