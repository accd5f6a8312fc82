import { Injectable } from '@nestjs/common';

import { optionsOf } from '#models/catalog/media-price-calculator';
import type { PricedCall } from '#models/catalog/priced-call';
import type { GenerateBody } from './generate.dto';
import type { MediaAsk } from './media-request';
import { MediaPricer } from './media.pricer';

@Injectable()
export class GeneratePricer extends MediaPricer<GenerateBody> {
  protected askOf(body: GenerateBody): MediaAsk {
    return body;
  }

  cheapest(): PricedCall {
    const [first] = this.catalog.media.keys();
    const model = this.catalog.defaultMedia('t2i') ?? this.catalog.mediaModel(first, 't2i');
    return this.pricing.price(model, optionsOf(model, {}));
  }
}
