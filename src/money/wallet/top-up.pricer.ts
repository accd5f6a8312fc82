import { Injectable } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';

import { Pricer } from '#money/billing/calls/pricer';
import { TOP_UP_MODEL } from '#money/billing/charges/operation';
import type { PricedCall } from '#models/catalog/priced-call';
import { topUpAmount } from './top-up-amounts';
import type { TopUpBody } from './wallet.dto';

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
