import type { FastifyRequest } from 'fastify';

import type { PricedCall } from '../../catalog/priced-call';
import type { Micro } from '../../kernel/money';
import type { RailName } from '../charges/charge.entity';
import type { Operation } from '../charges/operation';
import { RequestSlot } from '../../platform/http/request-slot';
import type { Payer } from './payer';

/** What a rail may know of the route that it is paid for. */
export interface PayableRoute {
  readonly operation: Operation;
  readonly body: new () => object;
  /** Which rails may pay; all of them when absent. */
  readonly rails?: readonly RailName[];
  /** How long a run is expected to take: a payment must outlive it. */
  readonly runSecondsMax: number;
  /** A call that works as it stands, with its answer: what the document and the 402 show. */
  readonly example: { readonly body: object; readonly answer: object };
}

/** What a rail sees of the call that it pays. */
export interface PayableCall {
  readonly request: FastifyRequest;
  readonly route: PayableRoute;
  readonly body: { readonly payer?: string; readonly quoteId?: string };
  readonly priced: PricedCall;
  /** Method, path, query and body, hashed: what "the same call" means. */
  readonly fingerprint: Buffer;
  /** Who pays: written by the guard of the rail that claims the call. */
  payer?: Payer;
  /** What it costs this payer: written by `PayerGuard`. */
  price?: Micro;
  /** Written by `ChargeInterceptor` when the money is held. */
  chargeId?: string;
}

const calls = new RequestSlot<PayableCall>();

/** Attaches a paid call to its request: the guards and the interceptor that come next find it there. */
export const openCall = (call: PayableCall): void => calls.set(call.request, call);

export const payableCallOf = (request: FastifyRequest): PayableCall => {
  const call = calls.get(request);
  if (call === undefined) throw new Error('This route is not marked @Paid: it has no paid call.');
  return call;
};
