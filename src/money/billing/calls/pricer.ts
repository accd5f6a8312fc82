import type { FastifyRequest } from 'fastify';

import type { PricedCall } from '#models/catalog/priced-call';
import type { PaidBody } from './paid-body';

/** Prices the calls of one route. */
export abstract class Pricer<Body extends PaidBody> {
  /** Whether the work itself says which fields had no effect. Otherwise the header `X-Ignored` names unknown fields. */
  readonly namesIgnored: boolean = false;

  /** The list price of a valid body. Throws a 400 that names the field if the call can't be sold. */
  abstract price(body: Body, request: FastifyRequest): Promise<PricedCall> | PricedCall;

  /** The cheapest default call: the quote for a crawler's empty call. */
  abstract cheapest(request: FastifyRequest): PricedCall;
}
