/** What became of the money of a call. */
export type ChargeState = 'none' | 'held' | 'settling' | 'charged' | 'refunded' | 'released';

interface Refusal {
  readonly error?: {
    readonly message?: string;
    readonly code?: string;
    readonly param?: string | null;
    readonly requestId?: string;
    readonly retryable?: boolean;
  };
  readonly fix?: object;
}

/** What the service refused. `code` is for programs; `fix` is the body that would have been right, where one change helps. */
export class LamppostError extends Error {
  readonly code: string;
  readonly param: string | undefined;
  readonly fix: object | undefined;
  readonly requestId: string | undefined;
  /** Whether the very same call may succeed later. */
  readonly retryable: boolean;

  constructor(
    readonly status: number,
    readonly body: unknown,
    readonly headers: Headers,
    /** Whether the call that failed has cost anything; undefined where calls cost nothing. */
    readonly chargeState?: ChargeState,
  ) {
    const { error = {}, fix } = (body ?? {}) as Refusal;
    super(error.message ?? `The service answered ${status}.`);
    this.name = 'LamppostError';
    this.code = error.code ?? `HTTP_${status}`;
    this.param = error.param ?? undefined;
    this.fix = fix;
    this.requestId = error.requestId;
    this.retryable = error.retryable ?? (status === 429 || status >= 500);
  }
}

/** Nothing could be heard of a call. It may have been done and paid: the same `idempotencyKey` asks for it again, and never pays twice. */
export class NoAnswer extends Error {
  readonly code = 'NO_ANSWER';

  constructor(
    readonly idempotencyKey: string | undefined,
    cause: unknown,
  ) {
    super('The service could not be reached, or broke off. Repeat the call with the same idempotencyKey.', {
      cause,
    });
    this.name = 'NoAnswer';
  }
}

/** The call would cost more than this client may spend. Nothing was signed, sent or paid. */
export class BudgetExceeded extends Error {
  readonly code = 'BUDGET_EXCEEDED';

  constructor(
    readonly priceMicro: number,
    readonly leftMicro: number,
    /** Of calls that may still be charged. Signed payments that were refused are among them. */
    readonly reservedMicro = 0,
  ) {
    const reserved = reservedMicro === 0 ? '' : ` $${reservedMicro / 1e6} is reserved by other calls.`;
    super(
      `The call costs $${priceMicro / 1e6}, and the budget leaves $${leftMicro / 1e6} for it.${reserved}`,
    );
    this.name = 'BudgetExceeded';
  }
}

/** A job that was taken, and then failed. Its money is back where `chargeState` is `refunded`. */
export class JobFailed extends Error {
  readonly code = 'JOB_FAILED';

  constructor(
    readonly jobId: string,
    reason: string | undefined,
    readonly chargeState: ChargeState,
  ) {
    super(reason ?? 'The job failed.');
    this.name = 'JobFailed';
  }
}
