import { Injectable } from '@nestjs/common';

import { Pricer } from '#money/billing/calls/pricer';
import { Catalog } from '#models/catalog/catalog';
import { MediaPricing } from '#models/catalog/media-pricing';
import type { PricedCall } from '#models/catalog/priced-call';
import { SsrfGuard } from '#platform/http/outgoing/ssrf-guard';
import { callWebhookOf } from '#notices/webhooks/webhook-url';
import { videoRequestOf } from './video-request';
import type { VideosBody } from './videos.dto';

@Injectable()
export class VideosPricer extends Pricer<VideosBody> {
  constructor(
    private readonly catalog: Catalog,
    private readonly pricing: MediaPricing,
    private readonly calls: SsrfGuard,
  ) {
    super();
  }

  price(body: VideosBody): PricedCall {
    callWebhookOf(this.calls, body);
    const { model, options } = videoRequestOf(this.catalog, body);
    return this.pricing.price(model, options);
  }

  cheapest(): PricedCall {
    return this.price({ prompt: '' });
  }
}
