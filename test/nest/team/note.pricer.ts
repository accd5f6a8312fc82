import { Injectable } from '@nestjs/common';

import { Pricer } from '#money/billing/calls/pricer';
import type { PaidBody } from '#money/billing/calls/paid-body';
import type { PricedCall } from '#models/catalog/priced-call';
import { micro } from '#kernel/money';

const PRICE = micro(1_000n);

@Injectable()
export class NotePricer extends Pricer<PaidBody> {
  price(): PricedCall {
    return { modelId: 'note', mode: 'note', input: 'note', list: PRICE, floor: PRICE, live: false };
  }

  cheapest(): PricedCall {
    return this.price();
  }
}
