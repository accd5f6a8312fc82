import { microIn } from './amounts.ts';
import { type ChargeState, LamppostError } from './errors.ts';
import type { Charge } from './medium.ts';
import type { Answer, Request } from './sender.ts';

/** An answer that was paid for. */
export interface Paid<Body> {
  readonly body: Body;
  readonly charge: Charge;
  /** Notes that the service has returned the money. It does nothing for payments on chain. */
  readonly refund: () => Promise<void>;
}

/** What the caller of one call has said of its price, in micro-USD. */
export interface CallLimits {
  /** `maxPriceMicro` of the call. */
  readonly maxPriceMicro?: number | undefined;
  /** What the call is known to cost, such as the amount of a top-up. */
  readonly knownMicro?: number | undefined;
}

/** How the calls of a client are paid. */
export interface Payer {
  /** Sends a call and has it paid, once, however often it has to be sent. */
  buy<Body>(request: Request, limits?: CallLimits): Promise<Paid<Body>>;
  /** The same for a call that is billed by its use, `mostMicro` at most. */
  buyMetered<Body>(request: Request, mostMicro: () => Promise<number>): Promise<Paid<Body>>;
  /** The same for an answer that is read as it comes. */
  open(request: Request, mostMicro: () => Promise<number>): Promise<Opened>;
  /** Notes what became of a call whose answer its caller did not wait for. */
  decide(idempotencyKey: string, chargeState: ChargeState | undefined): Promise<void>;
}

/** An answer that is still to be read. */
export interface Opened {
  readonly response: Response;
  /** The same call again: its answer from the start, for the rest of one that broke off. */
  again(): Promise<Response>;
  /** Takes what the answer says it has cost, and gives what that may be. */
  settle(costMicro: unknown): Promise<number>;
  /** Ends what pays for the call when nobody reads the answer any more. */
  end(): Promise<void>;
}

/** What an answer says it has cost, as far as that can be true: at most `mostMicro`, which it is when the answer says nothing. */
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
 * Whether a call that failed has surely cost nothing. An answer that was refused before the service looked at its mark (429,
 * 402) says nothing of an earlier try that nobody heard of, so of a call that was sent before only the word that its charge was
 * taken back is believed. A proxy before the service, which says no charge state, does not know what became of the call.
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

/** The name of a call in the history of its budget: the same for all its repetitions. */
export const reservationIdOf = (baseUrl: URL, idempotencyKey: string | undefined): string =>
  `${baseUrl.origin} ${idempotencyKey ?? crypto.randomUUID()}`;
