import { Injectable } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';

import { Pricer } from '#money/billing/calls/pricer';
import { TOP_UP_MODEL } from '#money/billing/charges/operation';
import type { PricedCall } from '#models/catalog/priced-call';
import { InvalidRequest } from '#kernel/app-error';
import { type Micro, larger, micro, parseUsd, smaller } from '#kernel/money';
import type { TopUpBody } from './wallet.dto';

/** The lowest and the highest amount of a top-up. The service clamps other amounts to them. */
export const TOP_UP_AMOUNTS = {
  min: micro(1_000_000n),
  max: micro(500_000_000n),
  default: micro(10_000_000n),
} as const;

/** The `usd` of the query, clamped to the limits. Throws if the text is no amount. */
const topUpAmount = (usd: unknown): Micro => {
  if (usd === undefined || usd === '') return TOP_UP_AMOUNTS.default;
  const sign = typeof usd === 'string' && usd.startsWith('-');
  // Nobody can pay digits after the sixth decimal, so they are cut off. The price is the remaining amount.
  const digits = typeof usd === 'string' ? /^-?(\d{1,9})(\.\d{1,30})?$/.exec(usd) : null;
  const amount = digits === null ? undefined : parseUsd(`${digits[1]}${(digits[2] ?? '').slice(0, 7)}`);
  if (amount === undefined)
    throw new InvalidRequest('usd must be an amount such as 25 or 25.50, from 1 to 500.', { param: 'usd' });
  return sign ? TOP_UP_AMOUNTS.min : smaller(TOP_UP_AMOUNTS.max, larger(TOP_UP_AMOUNTS.min, amount));
};

/** A dollar of top-up costs a dollar, without markup or discount. */
@Injectable()
export class TopUpPricer extends Pricer<TopUpBody> {
  price(_body: TopUpBody, request: FastifyRequest): PricedCall {
    const amount = topUpAmount((request.query as Record<string, unknown>)['usd']);
    return {
      modelId: TOP_UP_MODEL,
      mode: 'top_up',
      input: `top_up|${amount}`,
      list: amount,
      floor: amount,
      live: false,
    };
  }

  cheapest(request: FastifyRequest): PricedCall {
    return this.price({}, request);
  }
}
