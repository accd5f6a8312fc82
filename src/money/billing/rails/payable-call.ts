import type { FastifyRequest } from 'fastify';

import type { PricedCall } from '#models/catalog/priced-call';
import type { AppError } from '#kernel/app-error';
import type { Micro } from '#kernel/money';
import type { RailName } from '../charges/charge.entity';
import type { Operation } from '../charges/operation';
import type { Attempt } from '#models/providers/attempts';
import { RequestSlot } from '#platform/http/request-slot';
import type { Payer } from './payer';

/** The part of a route's options that a rail may read. */
export interface PayableRoute {
  readonly operation: Operation;
  readonly body: new () => object;
  /** The rails that may pay; all of them if absent. */
  readonly rails?: readonly RailName[];
  /** The longest duration of a run. A payment must remain valid for longer. */
  readonly runSecondsMax: number;
  /** `by-use` if the price is only the most that the call can cost. */
  readonly answer?: string;
  /** A call that works unchanged, with its answer, for the document and the 402. */
  readonly example: { readonly body: object; readonly answer: object };
}

/** The part of a paid call that a rail may read. */
export interface PayableCall {
  readonly request: FastifyRequest;
  readonly route: PayableRoute;
  readonly body: { readonly payer?: string; readonly quoteId?: string; readonly tag?: string };
  /** Written by `PricedGuard`. `PayerGuard` replaces it by the price class of the proven payer. */
  priced: PricedCall;
  /** The hash of method, path, query and body. Equal calls have equal fingerprints. */
  readonly fingerprint: Buffer;
  /** The payer: written by the guard of the rail that claims the call. */
  payer?: Payer;
  /** The price for this payer: written by `PayerGuard`. */
  price?: Micro;
  /** The least that the hold of a by-use call may begin with: written by `PayerGuard`. */
  least?: Micro;
  /** The most that a by-use call may cost, if its hold grows: written by `PayerGuard`. */
  most?: Micro;
  /** Why a new call is refused, because of its price or its model: written by `PayerGuard`. A repeated call is answered. */
  refusal?: AppError;
  /** The attempts at providers so far. */
  readonly attempts: Attempt[];
  /** Written by `RunPaidCall` when the money is held, or by `Replay` for a repeated call. */
  chargeId?: string;
}

const calls = new RequestSlot<PayableCall>();

/** Attaches a paid call to its request, for later guards and the interceptor. */
export const openCall = (call: PayableCall): void => calls.set(call.request, call);

/** Returns the paid call, or undefined if the request ended before it was priced. */
export const openedCallOf = (request: FastifyRequest): PayableCall | undefined => calls.get(request);

export const payableCallOf = (request: FastifyRequest): PayableCall => {
  const call = calls.get(request);
  if (call === undefined) throw new Error('This route is not marked @Paid: it has no paid call.');
  return call;
};
