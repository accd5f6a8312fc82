import { Injectable } from '@nestjs/common';

import { Pricer } from '../../../src/billing/calls/pricer';
import type { PaidBody } from '../../../src/billing/calls/paid-body';
import type { PricedCall } from '../../../src/catalog/priced-call';
import { micro } from '../../../src/kernel/money';

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
