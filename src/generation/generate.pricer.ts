import { Injectable } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';

import { Owners } from '../billing/calls/owners';
import { Pricer } from '../billing/calls/pricer';
import { Catalog } from '../catalog/catalog';
import { MediaPricing, optionsOf } from '../catalog/media-pricing';
import type { PricedCall } from '../catalog/priced-call';
import { SsrfGuard } from '../platform/http/outgoing/ssrf-guard';
import { callWebhookOf } from '../platform/http/outgoing/webhook-url';
import { MediaIntake } from '../platform/media/media-intake';
import type { GenerateBody } from './generate.dto';
import { checkInputs, isReference, modelOf, sourcesIn, wantedAs, wantsReferences } from './media-request';
import { checkWishes } from './media-wishes';

@Injectable()
export class GeneratePricer extends Pricer<GenerateBody> {
  constructor(
    private readonly catalog: Catalog,
    private readonly pricing: MediaPricing,
    private readonly intake: MediaIntake,
    private readonly owners: Owners,
    private readonly calls: SsrfGuard,
  ) {
    super();
  }

  price(body: GenerateBody, request: FastifyRequest): PricedCall {
    const model = modelOf(this.catalog, body);
    checkInputs(model, body);
    checkWishes(this.catalog, model, body);
    callWebhookOf(this.calls, body);
    for (const named of sourcesIn(body)) {
      if (!isReference(named)) this.intake.check(request, named.source, wantedAs(named));
    }
    // This check comes before the 402, because a payment alone does not identify the owner of a library.
    if (wantsReferences(body)) this.owners.requireClaim(request);
    return this.pricing.price(model, optionsOf(model, body));
  }

  cheapest(): PricedCall {
    const [first] = this.catalog.media.keys();
    const model = this.catalog.defaultMedia('t2i') ?? this.catalog.mediaModel(first, 't2i');
    return this.pricing.price(model, optionsOf(model, {}));
  }
}
