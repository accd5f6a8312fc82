import { Injectable } from '@nestjs/common';

import { Pricer } from '../billing/calls/pricer';
import { Catalog } from '../catalog/catalog';
import { MediaPricing, optionsOf } from '../catalog/media-pricing';
import type { PricedCall } from '../catalog/priced-call';
import { UnknownModel } from '../catalog/catalog.errors';
import type { GenerateBody } from './generate.dto';
import { checkInputs, modelOf } from './media-request';

@Injectable()
export class GeneratePricer extends Pricer<GenerateBody> {
  constructor(
    private readonly catalog: Catalog,
    private readonly pricing: MediaPricing,
  ) {
    super();
  }

  price(body: GenerateBody): PricedCall {
    const model = modelOf(this.catalog, body);
    checkInputs(model, body);
    return this.pricing.price(model, optionsOf(model, body));
  }

  cheapest(): PricedCall {
    const model = this.catalog.defaultMedia('t2i') ?? [...this.catalog.media.values()][0];
    if (model === undefined) throw new UnknownModel('default', [], 'modelId');
    return this.pricing.price(model, optionsOf(model, {}));
  }
}
