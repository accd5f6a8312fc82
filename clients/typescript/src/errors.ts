/** The states of a call's money. */
export type ChargeState = 'none' | 'held' | 'settling' | 'charged' | 'refunded' | 'released';

/** The form of an error. Any field may have any value, because the answer may come from any server. */
type Refusal = Readonly<Record<'message' | 'code' | 'param' | 'requestId' | 'retryable', unknown>>;

const refusalIn = (body: unknown): Partial<Refusal> => {
  const { error } = (body ?? {}) as { error?: unknown };
  return typeof error === 'object' && error !== null ? error : {};
};

const textOf = (value: unknown): string | undefined =>
  typeof value === 'string' && value !== '' ? value : undefined;

/** The known facts of a failed call. With them, the caller can go on without a second payment. */
export interface Known {
  /** A repetition with this key returns the outcome, and is never charged twice. Undefined for free calls. */
  readonly idempotencyKey?: string | undefined;
  /** The job of the call: `jobs.wait` returns its result. */
  readonly jobId?: string | undefined;
  /** The charge of the call: `receipts.get` shows its state. */
  readonly chargeId?: string | undefined;
}

/** An error after a request was sent. */
export class CallError extends Error implements Known {
  idempotencyKey: string | undefined;
  jobId: string | undefined;
  chargeId: string | undefined;

  /** Adds what its thrower did not know. @internal */
  know({ idempotencyKey, jobId, chargeId }: Known): this {
    this.idempotencyKey ??= idempotencyKey;
    this.jobId ??= jobId;
    this.chargeId ??= chargeId || undefined;
    return this;
  }
}

/** A refusal of the service. `code` is for programs; `fix` is the corrected body, if one change helps. */
export class LamppostError extends CallError {
  readonly code: string;
  readonly param: string | undefined;
  readonly fix: object | undefined;
  readonly requestId: string | undefined;
  /** Whether an unchanged call may succeed later. */
  readonly retryable: boolean;
  /**
   * Whether an earlier try was sent and got no answer. That try may have been charged, even if this answer denies it.
   * @internal
   */
  followsSilence = false;

  constructor(
    readonly status: number,
    readonly body: unknown,
    readonly headers: Headers,
    /** Whether the failed call has cost anything; undefined for free calls. */
    readonly chargeState?: ChargeState,
    /** Used if the body has no message. */
    message = `The service answered ${status}.`,
  ) {
    const error = refusalIn(body);
    super(textOf(error.message) ?? message);
    this.name = 'LamppostError';
    this.code = textOf(error.code) ?? `HTTP_${status}`;
    this.param = textOf(error.param);
    this.fix = (body as { fix?: object } | null | undefined)?.fix;
    this.requestId = textOf(error.requestId) ?? headers.get('x-request-id') ?? undefined;
    this.know({ chargeId: headers.get('x-charge-id') ?? undefined });
    this.retryable = typeof error.retryable === 'boolean' ? error.retryable : status === 429 || status >= 500;
  }
}

/** The called address, without its query. */
const placeOf = ({ origin, pathname }: URL): string => `${origin}${pathname}`;

/** Explains an answer that does not have the service's form. */
const strangeness = ({ status, type, headers }: Response, url: URL): string => {
  if (type === 'opaqueredirect' || (status >= 300 && status < 400)) {
    const location = headers.get('location');
    const to = location === null ? '' : ` to ${location.slice(0, 200)}`;
    return `${placeOf(url)} redirects${to}, and no credential goes to another address. Use the right one as baseUrl.`;
  }
  return `${placeOf(url)} answered ${status}, but not as a Lamppost service does. Is baseUrl right, and which proxy is in between?`;
};

/** The refusal of the service, or the answer of a server in front of it, which knows nothing of the call. */
export const refusalOf = async (response: Response, url: URL): Promise<LamppostError | NoAnswer> => {
  const { status, headers } = response;
  const text = await response.text();
  let body: unknown;
  try {
    body = JSON.parse(text);
  } catch {
    body = undefined;
  }
  const isOurs = textOf(refusalIn(body).code) !== undefined || headers.has('payment-required');
  if (!isOurs) return new NoAnswer(undefined, new Error(strangeness(response, url)), url, status);
  const state = (headers.get('x-charge-state') ?? undefined) as ChargeState | undefined;
  return new LamppostError(status, body, headers, state);
};

const CAUSES: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'nothing listens there',
  ENOTFOUND: 'there is no such host',
  EAI_AGAIN: 'the name of the host could not be looked up',
  ECONNRESET: 'the connection broke off',
  CERT_HAS_EXPIRED: 'its certificate has expired',
  DEPTH_ZERO_SELF_SIGNED_CERT: 'its certificate is signed by itself',
  ERR_TLS_CERT_ALTNAME_INVALID: 'its certificate is for another host',
};

/** The reason of a network failure in words. `fetch` puts the reason into the cause of its error. */
const reasonOf = (error: unknown): string => {
  const { message, code, cause } = error as { message?: string; code?: string; cause?: { code?: string } };
  const name = cause?.code ?? (typeof code === 'string' ? code : '');
  const said = CAUSES[name];
  const plain = (message ?? String(error)).replace(/\.$/, '');
  return said === undefined ? name || plain : `${said} (${name})`;
};

/**
 * The service did not answer, or another server answered in its place. The service may have executed and charged the
 * call. A call with the same `idempotencyKey` returns the outcome, and is never charged twice.
 */
export class NoAnswer extends CallError {
  readonly code = 'NO_ANSWER';
  private readonly reason: string;

  constructor(
    idempotencyKey: string | undefined,
    cause: unknown,
    /** The called address. */
    readonly url?: URL,
    /** The status of the other server's answer. */
    readonly status?: number,
  ) {
    const where = url === undefined ? 'The service' : placeOf(url);
    const reason =
      status === undefined
        ? `${where} could not be reached, or broke off: ${reasonOf(cause)}.`
        : (cause as Error).message;
    super(reason, { cause });
    this.name = 'NoAnswer';
    this.reason = reason;
    this.know({ idempotencyKey });
  }

  /** @internal */
  override know(known: Known): this {
    super.know(known);
    const { jobId, idempotencyKey: key } = this;
    const repeat = key === undefined ? '' : ` Repeat the call with the same idempotencyKey (${key}).`;
    const wait = ` Its job goes on: \`lamppost jobs wait ${jobId}\` or jobs.wait() returns its result.`;
    this.message = this.reason + (jobId === undefined ? repeat : wait);
    return this;
  }
}

/** The outcome of an aborted call. */
export interface Fate {
  readonly jobId?: string | undefined;
  /** The state of the money; undefined if it is unknown. */
  readonly chargeState?: ChargeState | undefined;
}

/**
 * The caller stopped the call after it was sent. The client still cancels it if that is possible, and its `outcome`
 * says what became of it.
 */
export class CallAborted extends CallError {
  readonly code = 'ABORTED';
  /** The state of the money; undefined if it is unknown. */
  chargeState: ChargeState | undefined;
  /** This error, when the client has cancelled the call and knows its `jobId` and `chargeState`, within 5 seconds. */
  readonly outcome: Promise<CallAborted>;

  constructor(
    known: Known,
    reason: unknown,
    fate: Promise<Fate> = Promise.resolve({}),
    /** Whether a part of the answer was read. */
    private readonly isPart = false,
  ) {
    super('', { cause: reason });
    // The error has the name of the abort reason, because programs check it.
    this.name = (reason as Error | undefined)?.name ?? 'AbortError';
    this.know(known).describe();
    this.outcome = fate
      .catch(() => ({}))
      .then(({ jobId, chargeState }: Fate) => {
        this.chargeState = chargeState;
        return this.know({ jobId }).describe();
      });
  }

  private describe(): this {
    const fate = {
      none: 'Nothing was charged.',
      released: 'Nothing was charged.',
      refunded: 'It is cancelled and refunded.',
      charged: this.isPart
        ? 'The text so far is charged.'
        : 'It could not be cancelled any more, and is charged.',
      held: 'It could not be cancelled, and continues.',
      settling: 'It could not be cancelled, and its payment is under way.',
    };
    const said =
      this.chargeState === undefined ? 'It is unknown whether it was charged.' : fate[this.chargeState];
    const job = this.jobId === undefined ? '' : ` Its job is ${this.jobId}.`;
    this.message = `The call was aborted. ${said}${job}`;
    return this;
  }
}

/** The call would exceed the client's budget. Nothing was signed, sent or paid. */
export class BudgetExceeded extends Error {
  readonly code = 'BUDGET_EXCEEDED';

  constructor(
    readonly priceMicro: number,
    readonly leftMicro: number,
    /** The sum of calls that may still be charged, including refused signed payments. */
    readonly reservedMicro = 0,
  ) {
    const reserved = reservedMicro === 0 ? '' : ` $${reservedMicro / 1e6} is reserved by other calls.`;
    super(
      `The call costs $${priceMicro / 1e6}, and the budget leaves $${leftMicro / 1e6} for it.${reserved}`,
    );
    this.name = 'BudgetExceeded';
  }
}

/** A job that was accepted and failed later. Its money was refunded if `chargeState` is `refunded`. */
export class JobFailed extends CallError {
  readonly code = 'JOB_FAILED';

  constructor(
    jobId: string,
    reason: string | undefined,
    readonly chargeState: ChargeState,
    /** The reason for programs, such as `CANCELLED`. */
    readonly errorCode?: string,
  ) {
    super(reason ?? 'The job failed.');
    this.name = 'JobFailed';
    this.know({ jobId });
  }
}

/** The service did not send the webhook, or it is too old, or it is for somebody else. */
export class NotGenuine extends Error {
  readonly code = 'NOT_GENUINE';

  constructor() {
    super(
      'This message is not from the service, is too old, or is for another recipient. Give its body as it came, before anything parses ' +
        'it, and the secret of its own endpoint.',
    );
    this.name = 'NotGenuine';
  }
}
