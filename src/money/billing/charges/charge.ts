import type { Micro } from '#kernel/money';
import type { Charge } from './charge.entity';

/** The key that a call spends with. */
export interface SpendingKey {
  readonly id: string;
  /** The keys whose limits count the call: this key and the keys above it, separated by commas. */
  readonly counted: string;
  readonly isDelegated: boolean;
  /** The key whose reserve pays, if there is one. */
  readonly reserveId?: string;
}

/** The values by which Postgres compares holds of equal calls, so that it never charges both a call and its retry. */
export interface SameCall {
  /** The payer, followed by the key if the key is delegated. */
  readonly caller: string;
  /** The time of arrival by the database's clock, and never later than the true time. */
  readonly arrivedAt: Date;
  /** The id of an announced retry's entry. */
  readonly retryId?: string;
}

/** A charge before its row exists. The service chooses the id first, so that every later answer can contain the id. */
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
  | 'personId'
  | 'budgetId'
> & {
  readonly key?: SpendingKey;
  /** The proof of the payer, which may expire before the hold; absent if it can't expire. */
  readonly proof?: string;
  /** Absent if an idempotency key, or an entry of the call, already separates equal calls. */
  readonly same?: SameCall;
};

/** The reason of a refused hold. A refusal is an expected outcome, so it is a value and no error. */
export type HoldRefusal = 'short' | 'duplicate' | 'key-limit' | 'budget' | 'ended' | 'overtaken';

interface Refused {
  readonly ok: false;
  readonly reason: HoldRefusal;
  readonly headers?: undefined;
}

export type Held =
  | {
      readonly ok: true;
      /** The remaining prepaid money. */
      readonly balance?: Micro;
      /** Headers that prove a payment which has already happened, even if the call fails later. */
      readonly headers?: Readonly<Record<string, string>>;
    }
  | Refused;
export type HeldPrepaid = { readonly ok: true; readonly balance: Micro } | Refused;

/** The stored parts of an answer, for the settlement and for repetitions. */
export interface SettledAnswer {
  readonly chargeId: string;
  readonly jobId?: string;
  /** Whether another process may wait for this charge. */
  readonly watched: boolean;
  /**
   * The answer, encrypted by `AnswerVault`; undefined if the route stores no answers. Postgres counts the `seconds`,
   * because a process with a wrong clock must not delete a paid answer.
   */
  readonly replay?: { readonly status: number; readonly sealed: Buffer; readonly seconds: number };
}

/** The measure of a by-use call: the provider's bill, if it reports one, and the counted tokens. */
export interface MeasuredUse {
  readonly billed?: Micro;
  readonly tokens?: { readonly input: number; readonly output: number };
}

/** The outcome of the work of a charge whose process died. */
export type WorkOutcome = 'done' | 'not-done' | 'unknown';

/** The outcome as it was found, with the job if there is one. */
export interface FoundWork {
  readonly outcome: WorkOutcome;
  readonly jobId?: string;
}
