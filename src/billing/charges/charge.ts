import type { Micro } from '../../kernel/money';
import type { Charge } from './charge.entity';

/** The key that a call spends by. */
export interface SpendingKey {
  readonly id: string;
  /** The keys that the call counts against, its own and those above, with commas between them. */
  readonly counted: string;
  /** True where the money was handed on. */
  readonly isDelegated: boolean;
  /** The key whose reserve pays, where one does. */
  readonly reserveId?: string;
}

/** What holds of equal calls are compared by, so that a call and its retry are never both charged. */
export interface SameCall {
  /** The payer, with the key where the money was handed on. */
  readonly caller: string;
  /** By the clock of the database, and never later than the true time. */
  readonly arrivedAt: Date;
  /** The entry of a retry that announces itself. */
  readonly retryId?: string;
}

/** A charge before it exists: everything its row will say. The id is chosen first, so that no answer can lose it. */
export type ChargeDraft = Pick<
  Charge,
  | 'id'
  | 'rail'
  | 'operation'
  | 'payer'
  | 'accountId'
  | 'modelId'
  | 'price'
  | 'list'
  | 'discountPercent'
  | 'fingerprint'
  | 'mark'
  | 'tag'
> & {
  readonly key?: SpendingKey;
  /** What the payer was proven by, which may end before the money is held; absent where nothing can end. */
  readonly proof?: string;
  /** Absent where a mark, or an entry of the call, keeps equal calls apart. */
  readonly same?: SameCall;
};

/** Why a hold was refused. Expected outcomes, so they are values and not errors. */
export type HoldRefusal = 'short' | 'duplicate' | 'key-limit' | 'ended' | 'overtaken';

interface Refused {
  readonly ok: false;
  readonly reason: HoldRefusal;
}

export type Held =
  | { readonly ok: true; /** What is left of prepaid money. */ readonly balance?: Micro }
  | Refused;
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

/** The same as it was found, with the job that it is, where it is one. */
export interface FoundWork {
  readonly outcome: WorkOutcome;
  readonly jobId?: string;
}
