import { Injectable } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';

import { Owners } from '#money/billing/calls/owners';
import type { PaidBody } from '#money/billing/calls/paid-body';
import { Pricer } from '#money/billing/calls/pricer';
import { Catalog } from '#models/catalog/catalog';
import { MediaPriceCalculator, optionsOf } from '#models/catalog/media-price-calculator';
import type { PricedCall } from '#models/catalog/priced-call';
import { withRefusal } from '#models/catalog/route-costs';
import { SsrfGuard } from '#platform/http/outgoing/ssrf-guard';
import { callWebhookOf } from '#notices/webhooks/webhook-url';
import { MediaIntake } from '#platform/media/media-intake';
import {
  type MediaAsk,
  requestedModel,
  checkInputs,
  isReference,
  sourcesIn,
  wantedAs,
  wantsReferences,
} from './media-request';
import { checkOptionalInputs } from './check-optional-inputs';

/** Prices bodies with source media by the catalog. A subclass reads its own form of body. */
@Injectable()
export abstract class MediaPricer<Body extends PaidBody> extends Pricer<Body> {
  constructor(
    protected readonly catalog: Catalog,
    protected readonly pricing: MediaPriceCalculator,
    private readonly intake: MediaIntake,
    private readonly owners: Owners,
    private readonly calls: SsrfGuard,
  ) {
    super();
  }

  protected abstract askOf(body: Body): MediaAsk;

  price(body: Body, request: FastifyRequest): PricedCall {
    const ask = this.askOf(body);
    const model = requestedModel(this.catalog, ask, body);
    checkInputs(model, ask);
    checkOptionalInputs(this.catalog, model, ask);
    callWebhookOf(this.calls, ask);
    for (const named of sourcesIn(ask)) {
      if (!isReference(named)) this.intake.check(request, named.source, wantedAs(named));
    }
    // This check comes before the 402, because a payment alone does not identify the owner of a library.
    if (wantsReferences(ask)) this.owners.requireClaim(request);
    const options = optionsOf(model, ask);
    return withRefusal(this.pricing.price(model, options), model, options, ask);
  }
}
