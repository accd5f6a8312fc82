import { microIn } from './amounts.ts';
import { type ChargeState, LamppostError } from './errors.ts';
import type { Charge } from './medium.ts';
import type { Answer, Request } from './sender.ts';

/** A paid answer. */
export interface Paid<Body> {
  readonly body: Body;
  readonly charge: Charge;
  /** Records a refund of the service. It does nothing for payments on chain. */
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
  /** Sends a call and pays it, once, however often it is sent. */
  buy<Body>(request: Request, limits?: CallLimits): Promise<Paid<Body>>;
  /** The same for a call that is charged by use, at most `mostMicro`. */
  buyMetered<Body>(request: Request, mostMicro: () => Promise<number>): Promise<Paid<Body>>;
  /** The same for an answer that is read as it arrives. */
  open(request: Request, mostMicro: () => Promise<number>): Promise<Opened>;
  /** Records the outcome of a call whose caller did not wait. */
  decide(idempotencyKey: string, chargeState: ChargeState | undefined): Promise<void>;
}

/** An answer that is still to be read. */
export interface Opened {
  readonly response: Response;
  /** The same call again: its answer from the start, for the rest of a broken one. */
  again(): Promise<Response>;
  /** Takes the cost that the answer names, and returns its plausible value. */
  settle(costMicro: unknown): Promise<number>;
  /** Ends the call's payer when nobody reads the answer any more. */
  end(): Promise<void>;
}

/** The plausible cost of an answer: at most `mostMicro`, and exactly that if the answer names none. */
const chargeOf = (headers: globalThis.Headers, mostMicro = Infinity): Charge => {
  const balanceMicro = microIn(headers.get('x-balance-micro'));
  const told = microIn(headers.get('x-charge-micro'), mostMicro);
  const charge = {
    id: headers.get('x-charge-id') ?? '',
    micro: told ?? (mostMicro === Infinity ? 0 : mostMicro),
  };
  return balanceMicro === undefined ? charge : { ...charge, balanceMicro };
};

export const COSTS_NOTHING: ReadonlySet<ChargeState | undefined> = new Set(['none', 'released', 'refunded']);

/**
 * Whether a failed call has surely cost nothing. An answer from before the check of its idempotency key (429, 402) says
 * nothing about an earlier, unanswered try. For a call that was sent before, only a released or refunded charge counts.
 * A proxy, which sends no charge state, does not know the outcome.
 */
export const costNothing = (error: unknown, wasSentBefore = false): boolean => {
  if (!(error instanceof LamppostError) || error.code.startsWith('IDEMPOTENCY_')) return false;
  const { chargeState, status, followsSilence } = error;
  const isFirst = !wasSentBefore && !followsSilence;
  if (chargeState === undefined) return isFirst && status < 500;
  return COSTS_NOTHING.has(chargeState) && (isFirst || chargeState !== 'none');
};

/** An answer with its charge. Without `refund`, the service cannot return the money. */
export const paidBy = <Body>(
  { body, headers }: Answer<Body>,
  mostMicro?: number,
  refund: () => Promise<void> = () => Promise.resolve(),
): Paid<Body> => ({ body, charge: chargeOf(headers, mostMicro), refund });

/** The name of a call in its budget's history: the same for all its repetitions. */
export const reservationIdOf = (baseUrl: URL, idempotencyKey: string | undefined): string =>
  `${baseUrl.origin} ${idempotencyKey ?? crypto.randomUUID()}`;
