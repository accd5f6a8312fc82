import type { FastifyRequest } from 'fastify';

import { lateCallOf } from '#platform/http/inner-calls';
import { RequestSlot } from '#platform/http/request-slot';

const discounts = new RequestSlot<number>();

/** Gives a request a batch discount, in percent, which the pricers then apply. */
export const priceAsBatch = (request: FastifyRequest, percent: number): void =>
  discounts.set(request, percent);

/** The batch discount in percent: for a call that a batch makes, or for a request from `priceAsBatch`. Otherwise 0. */
export const batchDiscountOf = (request: FastifyRequest): number =>
  lateCallOf(request)?.discountPercent ?? discounts.get(request) ?? 0;
