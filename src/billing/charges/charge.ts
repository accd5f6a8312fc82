import type { Micro } from '../../kernel/money';
import type { RailName } from '../rails/rail';

export type ChargeState = 'held' | 'settling' | 'charged' | 'refunded' | 'released';
export type Operation = 'chat' | 'media' | 'top_up' | 'studio';

/** A charge before it exists: everything its row will say. The id is chosen first, so that no answer can lose it. */
export interface ChargeDraft {
  readonly id: string;
  readonly rail: RailName;
  readonly operation: Operation;
  /** The wallet in lower case, or the account's id. */
  readonly payer: string;
  /** The prepaid account it is taken from; undefined on x402. */
  readonly accountId?: string;
  readonly keyId?: string;
  readonly modelId?: string;
  readonly price: Micro;
  readonly list: Micro;
  readonly discountPercent: number;
  readonly fingerprint: Buffer;
  /** What makes a repetition of this call the same call, if the caller said so. */
  readonly mark?: string;
}

export interface Charge extends ChargeDraft {
  readonly state: ChargeState;
  readonly jobId?: string;
  readonly createdAt: Date;
  readonly settledAt?: Date;
  readonly refundedAt?: Date;
}

/** Why a hold was refused. Expected outcomes, so they are values and not errors. */
export type HoldRefusal = 'short' | 'duplicate' | 'key-limit';

export type Held =
  { readonly ok: true; readonly balance: Micro } | { readonly ok: false; readonly reason: HoldRefusal };
