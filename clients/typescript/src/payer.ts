import { microIn } from './amounts.ts';
import { type ChargeState, LamppostError } from './errors.ts';
import type { Charge } from './medium.ts';
import type { Answer, Request } from './sender.ts';

/** A paid answer. */
export interface Paid<Body> {
  readonly body: Body;
  readonly charge: Charge;
  readonly requestId: string | undefined;
  /** Records a refund by the service. It has no effect for payments on chain. */
  readonly refund: () => Promise<void>;
}

/** The caller's limits of one call, in micro-USD. */
export interface CallLimits {
  /** `maxPriceMicro` of the call. */
  readonly maxPriceMicro?: number | undefined;
  /** The known cost of the call, such as the amount of a top-up. */
  readonly knownMicro?: number | undefined;
}

/** The way of paying for a client's calls. */
export interface Payer {
  /** Sends a call and pays it only once, even if the call is sent again. */
  buy<Body>(request: Request, limits?: CallLimits): Promise<Paid<Body>>;
  /** Sends a call that is charged by usage, at most `mostMicro`. */
  buyMetered<Body>(request: Request, mostMicro: () => Promise<number>): Promise<Paid<Body>>;
  /** Sends a call. The caller reads the answer while it arrives. */
  open(request: Request, mostMicro: () => Promise<number>): Promise<Opened>;
  /** Records the outcome of a call after its caller has stopped waiting. */
  decide(idempotencyKey: string, chargeState: ChargeState | undefined): Promise<void>;
}

/** An answer that was not read yet. */
export interface Opened {
  readonly response: Response;
  /** Sends the same call again, to get the rest of an interrupted answer. The new answer begins at the start. */
  again(): Promise<Response>;
  /** Records the cost in the answer, and returns its plausible value. */
  settle(costMicro: unknown, isReplay?: boolean): Promise<number>;
  /** Ends the payer of this call when nobody reads the answer any more. */
  end(): Promise<void>;
}

/**
 * The charge of an answer. Its cost is at most `mostMicro`, and exactly `mostMicro` if the answer names no plausible
 * cost.
 */
const chargeOf = (headers: globalThis.Headers, mostMicro = Infinity): Charge => {
  const balanceMicro = microIn(headers.get('x-balance-micro'));
  const reported = microIn(headers.get('x-charge-micro'), mostMicro);
  const charge = {
    id: headers.get('x-charge-id') ?? '',
    micro: reported ?? (mostMicro === Infinity ? 0 : mostMicro),
  };
  return balanceMicro === undefined ? charge : { ...charge, balanceMicro };
};

export const COSTS_NOTHING: ReadonlySet<ChargeState | undefined> = new Set(['none', 'released', 'refunded']);

/**
 * Whether a failed call has certainly cost nothing. The service sends a 429 or a 402 before it checks the idempotency
 * key. So such an answer does not show the outcome of an earlier try without an answer. For a call that was sent
 * before, only a released or refunded charge proves that it cost nothing. A proxy does not know the outcome, and sends
 * no charge state.
 */
export const costNothing = (error: unknown, wasSentBefore = false): boolean => {
  if (!(error instanceof LamppostError) || error.code.startsWith('IDEMPOTENCY_')) return false;
  const { chargeState, status, followsSilence } = error;
  const isFirst = !wasSentBefore && !followsSilence;
  if (chargeState === undefined) return isFirst && status < 500;
  return COSTS_NOTHING.has(chargeState) && (isFirst || chargeState !== 'none');
};

/** An answer with its charge. Without `refund`, the service can't return the money. */
export const paidBy = <Body>(
  { body, headers }: Answer<Body>,
  mostMicro?: number,
  refund: () => Promise<void> = () => Promise.resolve(),
): Paid<Body> => ({
  body,
  charge: chargeOf(headers, mostMicro),
  requestId: headers.get('x-request-id') ?? undefined,
  refund,
});

/**
 * Whether a failed call keeps no money, and never will. Any other answer may deny an earlier try that was paid, even if this client has recorded no earlier try.
 */
export const isOver = (error: unknown): boolean =>
  error instanceof LamppostError && (error.chargeState === 'released' || error.chargeState === 'refunded');

/** Whether the answer is that of an earlier, equal call. */
export const wasReplayed = (headers: globalThis.Headers): boolean =>
  headers.get('idempotent-replayed') === 'true';

/**
 * The name of a call in its budget's history. It is the same for all repetitions of the call by the same payer, and
 * does not show the payer's credential.
 */
export const reservationIdOf = async (
  baseUrl: URL,
  idempotencyKey: string | undefined,
  payer: string,
): Promise<string> => {
  const hash = await crypto.subtle.digest('SHA-256', new TextEncoder().encode(`${baseUrl.origin} ${payer}`));
  const start = Array.from(new Uint8Array(hash, 0, 8), (byte) => byte.toString(16).padStart(2, '0'));
  return `${baseUrl.origin} ${start.join('')} ${idempotencyKey ?? crypto.randomUUID()}`;
};
