import { Injectable } from '@nestjs/common';

import type { PaidCall } from '../../billing/calls/paid-call';
import { Pricer } from '../../billing/calls/pricer';
import { Catalog, type TextModel } from '../../catalog/catalog';
import type { PricedCall } from '../../catalog/priced-call';
import { micro } from '../../kernel/money';
import type { ConversationRequest } from '../../providers/text-provider';
import type { CompletionBody } from './completions.dto';
import { type FieldNames, type ImagePosition, forwarded, imagesIn } from './forwarded';
import { refuseTooMany } from './conversation-images';
import { type WorstCase, maxTokensOf, worstCase } from './worst-case';

/** A conversation with the most that it can cost, and what the work needs of it. */
export interface PricedConversation extends PricedCall {
  /** The call in the common shape, from any of the compatible routes. */
  readonly asked: CompletionBody;
  readonly nameOf: FieldNames;
  readonly model: TextModel;
  /** The body for the model, without images. */
  readonly words: ConversationRequest['body'];
  readonly images: readonly ImagePosition[];
  readonly worst: WorstCase;
}

/** Prices a conversation at its worst case: charged is what it really used. */
@Injectable()
export class CompletionsPricer extends Pricer<CompletionBody> {
  constructor(private readonly catalog: Catalog) {
    super();
  }

  price(body: CompletionBody): PricedConversation {
    return this.converse(body, (param) => param);
  }

  /** The price of a call in the common shape. */
  converse(asked: CompletionBody, nameOf: FieldNames): PricedConversation {
    const model = this.catalog.textModel(asked.model);
    const words = forwarded(asked);
    const images = imagesIn(asked);
    const worst = worstCase(model, asked, words, images.length, nameOf);
    refuseTooMany(images, nameOf);
    return {
      asked,
      nameOf,
      modelId: model.id,
      mode: 'studio',
      input: `studio|${worst.inputMax}|${maxTokensOf(asked)}`,
      list: worst.price,
      floor: micro(0n),
      live: false,
      model,
      words,
      images,
      worst,
    };
  }

  cheapest(): PricedConversation {
    return this.price({ messages: [{ role: 'user', content: '' }], max_tokens: 1 });
  }
}

/** The pricer's result for a call. */
export const conversationOf = ({ priced }: Pick<PaidCall, 'priced'>): PricedConversation =>
  priced as PricedConversation;
