import { Injectable } from '@nestjs/common';

import { Pricer } from '#money/billing/calls/pricer';
import { Catalog } from '#models/catalog/catalog';
import { MediaPriceCalculator } from '#models/catalog/media-price-calculator';
import type { PricedCall } from '#models/catalog/priced-call';
import { SsrfGuard } from '#platform/http/outgoing/ssrf-guard';
import { callWebhookOf } from '#notices/webhooks/webhook-url';
import { withRefusal } from '#models/catalog/route-costs';
import { GeneratePricer } from './generate.pricer';
import { imageRequestOf } from './image-request';
import type { ImagesBody } from './images.dto';

@Injectable()
export class ImagesPricer extends Pricer<ImagesBody> {
  constructor(
    private readonly catalog: Catalog,
    private readonly pricing: MediaPriceCalculator,
    private readonly calls: SsrfGuard,
    private readonly generate: GeneratePricer,
  ) {
    super();
  }

  price(body: ImagesBody): PricedCall {
    callWebhookOf(this.calls, body);
    const { model, options } = imageRequestOf(this.catalog, body);
    return withRefusal(this.pricing.price(model, options), model, options, body);
  }

  cheapest(): PricedCall {
    return this.generate.cheapest();
  }
}
