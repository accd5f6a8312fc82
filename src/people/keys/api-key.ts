import type { Micro } from '#kernel/money';
import type { WalletAddress } from '#kernel/wallet-address';
import type { ApiKey, KeyApp } from './api-key.entity';
import type { KeyScopes } from './key-scopes';
import type { SetBy } from './key-set-by';
import type { KeyChangeBody, SpendLimitsBody } from './keys.dto';

/** A key as its owner sees it, with its use. */
export type UsedKey = ApiKey & {
  readonly requestCount: number;
  /** The spending of its whole life. */
  readonly spent: Micro;
  /** The rest of its reserve. */
  readonly reserveLeft?: Micro;
  /** The spending in the same 30 days as the spend limit. */
  readonly spend30d: Micro;
  readonly lastUsedAt?: Date;
  /** The person who made it, or made the key above it; undefined for a wallet's key. */
  readonly maker?: string;
};

/** The most that a key may spend in a day and a month of UTC, and in its whole life. */
export type SpendLimits = SpendLimitsBody;

/** The keys above a delegated key. */
export interface KeyParentage {
  readonly parentId?: string;
  readonly above: readonly string[];
  readonly countedAbove: readonly string[];
  readonly depth: number;
  readonly reserveId?: string;
  /** The hash, in base64, of the secret with which the key above makes this key. */
  readonly secretAbove?: string;
}

/** A member's key that an owner or an admin has limited. Later keys of this member count against it as well. */
export interface BindingKey {
  /** The keys whose limits count its calls, including this key. */
  readonly counted: readonly string[];
  /** Set by an owner or an admin. */
  readonly scopes?: KeyScopes;
}

/** The initial values of a new key. */
export interface NewKey {
  readonly id: string;
  /** The payer: either an account or a wallet. */
  readonly accountId?: string;
  readonly wallet?: WalletAddress;
  /** The person who makes it; undefined if a key or a wallet makes it. */
  readonly maker?: string;
  readonly name: string;
  readonly app?: KeyApp;
  readonly hash: Buffer;
  readonly prefix: string;
  /** Null means never. */
  readonly expiresInSeconds: number | null;
  readonly spendLimitMicro?: number | null;
  readonly spendLimits?: SpendLimits;
  readonly scopes?: KeyScopes;
  /** The keys above it, if it is delegated. */
  readonly parentage?: KeyParentage;
  /** Other keys of its maker whose limits count its calls, although they are not above it. */
  readonly countsAgainst?: readonly string[];
  readonly signInNonce?: string;
  readonly setBy?: SetBy;
  /** The fingerprint of the call, if it had an idempotency key. */
  readonly madeBy?: Buffer;
}

/** Undefined keeps a value; null removes it. */
export type KeyChange = KeyChangeBody;
