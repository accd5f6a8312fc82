/** How long a key may live, in days; `null` is for ever. */
export const KEY_DAYS = [30, 90, 365] as const;

/** The most keys that may work at a time. */
export interface KeyLimits {
  /** Of one owner. */
  readonly all: number;
  /** The share of all delegated keys together. The rest is for the owner's keys. */
  readonly ofDelegated: number;
  /** The share of the keys below one delegated key. The rest is for its siblings. */
  readonly belowOne: number;
}

/** The most working keys of an owner. */
export const KEYS_MAX = 100;
export const KEY_LIMITS: KeyLimits = { all: KEYS_MAX, ofDelegated: KEYS_MAX / 2, belowOne: 10 };

/** For this time, a repeated call with the same idempotency key shows the key that it made. */
export const SHOWN_AGAIN_DAYS = 1;
/**
 * A deleted key counts against the limits of its maker for the longest window of these limits. So a new key does
 * not escape a limit.
 */
export const DELETED_BINDS_DAYS = 30;
