import { Injectable } from '@nestjs/common';

import { Pricer } from '#money/billing/calls/pricer';
import type { PricedCall } from '#models/catalog/priced-call';
import { micro } from '#kernel/money';
import type { SampleStripsBody } from './sample-strips.dto';

/** A micro-dollar a character, and never less than a tenth of a cent. */
const FLOOR = micro(1_000n);

@Injectable()
export class SampleStripsPricer extends Pricer<SampleStripsBody> {
  price({ text }: SampleStripsBody): PricedCall {
    const list = micro(FLOOR + BigInt(text.length));
    return {
      modelId: 'sample-strips',
      mode: 'sample-strips',
      input: `sample-strips|${text.length}`,
      list,
      floor: FLOOR,
      live: false,
    };
  }

  cheapest(): PricedCall {
    return this.price({ text: '.' });
  }
}
