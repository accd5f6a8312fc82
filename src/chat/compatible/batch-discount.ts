import type { FastifyRequest } from 'fastify';

import { lateCallOf } from '../../platform/http/inner-calls';
import { RequestSlot } from '../../platform/http/request-slot';

const discounts = new RequestSlot<number>();

/** From now on the pricers price bodies for this request as calls of a batch. */
export const priceAsBatch = (request: FastifyRequest, percent: number): void =>
  discounts.set(request, percent);

/** The discount in percent: of a call of a batch, or of a batch that is being priced. */
export const batchDiscountOf = (request: FastifyRequest): number =>
  lateCallOf(request)?.discountPercent ?? discounts.get(request) ?? 0;
