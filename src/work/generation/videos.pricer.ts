import { Injectable } from '@nestjs/common';

import { Pricer } from '#money/billing/calls/pricer';
import { Catalog } from '#models/catalog/catalog';
import { MediaPriceCalculator } from '#models/catalog/media-price-calculator';
import type { PricedCall } from '#models/catalog/priced-call';
import { withRefusal } from '#models/catalog/route-costs';
import { SsrfGuard } from '#platform/http/outgoing/ssrf-guard';
import { callWebhookOf } from '#notices/webhooks/webhook-url';
import { videoRequestOf } from './video-request';
import type { VideosBody } from './videos.dto';

@Injectable()
export class VideosPricer extends Pricer<VideosBody> {
  constructor(
    private readonly catalog: Catalog,
    private readonly pricing: MediaPriceCalculator,
    private readonly calls: SsrfGuard,
  ) {
    super();
  }

  price(body: VideosBody): PricedCall {
    callWebhookOf(this.calls, body);
    const { model, options } = videoRequestOf(this.catalog, body);
    return withRefusal(this.pricing.price(model, options), model, options, body);
  }

  cheapest(): PricedCall {
    return this.price({ prompt: '' });
  }
}
