import { Injectable } from '@nestjs/common';

import { Pricer } from '#money/billing/calls/pricer';
import { AudioPriceCalculator } from '#models/catalog/audio-price-calculator';
import { Catalog } from '#models/catalog/catalog';
import type { PricedCall } from '#models/catalog/priced-call';
import type { SpeechBody } from './speech.dto';
import { speechOf } from './speech-request';

@Injectable()
export class SpeechPricer extends Pricer<SpeechBody> {
  constructor(
    private readonly catalog: Catalog,
    private readonly pricing: AudioPriceCalculator,
  ) {
    super();
  }

  price(body: SpeechBody): PricedCall {
    const { model } = speechOf(this.catalog, body);
    return this.pricing.speech(model, body.input);
  }

  cheapest(): PricedCall {
    return this.pricing.speech(this.catalog.audioModel(undefined, 'speech'), '');
  }
}
