import { Injectable } from '@nestjs/common';

import { Pricer } from '#money/billing/calls/pricer';
import { Catalog } from '#models/catalog/catalog';
import type { TextModel } from '#models/catalog/catalog-models';
import type { PricedCall } from '#models/catalog/priced-call';
import { ChatPriceCalculator } from '#models/catalog/chat-price-calculator';
import { pricedCharsOf } from '#models/catalog/chat-limits';
import { tokensMaxOf } from '#models/catalog/token-estimate';
import type { ChatBody } from './chat.dto';

@Injectable()
export class ChatPricer extends Pricer<ChatBody> {
  constructor(
    private readonly catalog: Catalog,
    private readonly pricing: ChatPriceCalculator,
  ) {
    super();
  }

  price(body: ChatBody): PricedCall {
    const chars = pricedCharsOf(body.messages);
    return this.pricing.price(this.modelOf(body), chars, body.max_tokens, tokensMaxOf(body.messages));
  }

  cheapest(): PricedCall {
    return this.pricing.price(this.catalog.textModel(undefined), 0);
  }

  modelOf({ model }: ChatBody): TextModel {
    return this.catalog.textModel(model);
  }
}
