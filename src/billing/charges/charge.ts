import type { Micro } from '../../kernel/money';

/** What can become of the money of a call. */
export const CHARGE_STATES = ['held', 'settling', 'charged', 'refunded', 'released'] as const;
export type ChargeState = (typeof CHARGE_STATES)[number];

/** The name of a way to pay. Which there are says `rails/index.ts`, and the table `rail`. */
export type RailName = string;

/** A charge before it exists: everything its row will say. The id is chosen first, so that no answer can lose it. */
export interface ChargeDraft {
  readonly id: string;
  readonly rail: RailName;
  /** What it is for: the name of an operation that some route declares. */
  readonly operation: string;
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

interface Refused {
  readonly ok: false;
  readonly reason: HoldRefusal;
}

export type Held =
  { readonly ok: true; /** What is left of prepaid money. */ readonly balance?: Micro } | Refused;
export type HeldPrepaid = { readonly ok: true; readonly balance: Micro } | Refused;

/** What is kept of an answer so that it can be settled, and given again. */
export interface SettledAnswer {
  readonly chargeId: string;
  readonly jobId?: string;
  /** Whether somebody may wait for this charge in another process. */
  readonly watched: boolean;
  /**
   * Sealed under a key of this caller and this body; undefined when the route's answers are not kept. How long it is
   * kept is counted by the database: a process whose clock is wrong must not take a paid answer away.
   */
  readonly replay?: { readonly status: number; readonly sealed: Buffer; readonly seconds: number };
}

/** What became of the work of a charge whose process is gone. */
export type WorkOutcome = 'done' | 'not-done' | 'unknown';
