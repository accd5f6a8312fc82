import { Injectable } from '@nestjs/common';

import { optionsOf } from '#models/catalog/media-price-calculator';
import type { PricedCall } from '#models/catalog/priced-call';
import { MediaPricer } from '#work/generation/media.pricer';
import { type MediaAsk, requestedModel } from '#work/generation/media-request';
import { askOf, type SampleUpscaleBody } from './sample-upscale.dto';

@Injectable()
export class SampleUpscalePricer extends MediaPricer<SampleUpscaleBody> {
  protected askOf(body: SampleUpscaleBody): MediaAsk {
    return askOf(body);
  }

  cheapest(): PricedCall {
    const ask = askOf({});
    const model = requestedModel(this.catalog, ask, {});
    return this.pricing.price(model, optionsOf(model, ask));
  }
}
