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

/** A refusal of the service. `code` is for programs; `fix` is the corrected body, if one change helps. */
export class LamppostError extends Error {
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
    this.requestId = textOf(error.requestId);
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

/** Describes an unusable answer, with the words of the service or of a proxy in front of it. */
export const refusalOf = async (response: Response, url: URL): Promise<LamppostError> => {
  const text = await response.text();
  const state = (response.headers.get('x-charge-state') ?? undefined) as ChargeState | undefined;
  let body: unknown;
  try {
    body = JSON.parse(text);
  } catch {
    body = undefined; // A proxy in front of the service has answered.
  }
  return new LamppostError(response.status, body, response.headers, state, strangeness(response, url));
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
  return said === undefined ? (name === '' ? (message ?? String(error)) : name) : `${said} (${name})`;
};

/**
 * There was no answer. The service may have executed and charged the call. A call with the same `idempotencyKey`
 * returns the outcome, and is never charged twice.
 */
export class NoAnswer extends Error {
  readonly code = 'NO_ANSWER';

  constructor(
    readonly idempotencyKey: string | undefined,
    cause: unknown,
    /** The called address. */
    readonly url?: URL,
  ) {
    const where = url === undefined ? 'The service' : placeOf(url);
    const repeat = idempotencyKey === undefined ? '' : ' Repeat the call with the same idempotencyKey.';
    super(`${where} could not be reached, or broke off: ${reasonOf(cause)}.${repeat}`, { cause });
    this.name = 'NoAnswer';
  }
}

/** The caller stopped the call after it was sent. The client cancelled it if that was still possible. */
export class CallAborted extends Error {
  readonly code = 'ABORTED';

  constructor(
    /** A repetition with this key returns the outcome. */
    readonly idempotencyKey: string,
    readonly jobId: string | undefined,
    /** The state of the money; undefined if it is unknown. */
    readonly chargeState: ChargeState | undefined,
    reason: unknown,
    /** Whether a part of the answer was read. */
    isPart = false,
  ) {
    const fate = {
      none: 'Nothing was charged.',
      released: 'Nothing was charged.',
      refunded: 'It is cancelled and refunded.',
      charged: isPart ? 'The text so far is charged.' : 'It could not be cancelled any more, and is charged.',
      held: 'It could not be cancelled, and continues.',
      settling: 'It could not be cancelled, and its payment is under way.',
    };
    const said = chargeState === undefined ? 'It is unknown whether it was charged.' : fate[chargeState];
    const job = jobId === undefined ? '' : ` Its job is ${jobId}.`;
    super(`The call was aborted. ${said}${job}`, { cause: reason });
    // The error has the name of the abort reason, because programs check it.
    this.name = (reason as Error | undefined)?.name ?? 'AbortError';
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
