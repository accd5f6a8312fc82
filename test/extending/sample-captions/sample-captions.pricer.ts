import { Injectable } from '@nestjs/common';

import { Pricer } from '#money/billing/calls/pricer';
import type { PricedCall } from '#models/catalog/priced-call';
import { micro } from '#kernel/money';
import type { SampleCaptionsBody } from './sample-captions.dto';

/** A micro-dollar a character, and never less than a tenth of a cent. */
const FLOOR = micro(1_000n);

@Injectable()
export class SampleCaptionsPricer extends Pricer<SampleCaptionsBody> {
  price({ text }: SampleCaptionsBody): PricedCall {
    const list = micro(FLOOR + BigInt(text.length));
    return {
      modelId: 'sample-captions',
      mode: 'sample-captions',
      input: `sample-captions|${text.length}`,
      list,
      floor: FLOOR,
      live: false,
    };
  }

  cheapest(): PricedCall {
    return this.price({ text: '.' });
  }
}
