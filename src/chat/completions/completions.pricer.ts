import { Injectable } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';

import type { PaidCall } from '../../billing/calls/paid-call';
import { Pricer } from '../../billing/calls/pricer';
import { Catalog, type TextModel } from '../../catalog/catalog';
import { ChatPricing } from '../../catalog/chat-pricing';
import type { PricedCall } from '../../catalog/priced-call';
import { discounted } from '../../catalog/tiers';
import { type Micro, micro } from '../../kernel/money';
import type { ConversationRequest } from '../../providers/text-provider';
import { batchDiscountOf } from '../compatible/batch-discount';
import type { CompletionBody } from './completions.dto';
import { type FieldNames, type ImagePosition, forwarded, imagesIn } from './forwarded';
import { refuseTooMany } from './conversation-images';
import { type WorstCase, maxTokensOf, worstCase } from './worst-case';

/** A conversation with its highest possible cost, and the values that its work needs. */
export interface PricedConversation extends PricedCall {
  /** The call in the common shape, from any of the compatible routes. */
  readonly asked: CompletionBody;
  readonly nameOf: FieldNames;
  readonly model: TextModel;
  /** The body for the model, without images. */
  readonly words: ConversationRequest['body'];
  readonly images: readonly ImagePosition[];
  readonly worst: WorstCase;
  /**
   * Converts a cost at the catalog's rates into a price. Accounts pay the cost. Wallets and channels also pay markup,
   * and at least the floor. A call of a batch has a discount.
   */
  readonly priceOf: (cost: Micro) => Micro;
  readonly forAccounts?: PricedConversation;
}

type PriceClass = 'accounts' | 'retail';

/** Prices a conversation at its worst case. The charge at the end is only for the tokens that the conversation used. */
@Injectable()
export class CompletionsPricer extends Pricer<CompletionBody> {
  constructor(
    private readonly catalog: Catalog,
    private readonly pricing: ChatPricing,
  ) {
    super();
  }

  price(body: CompletionBody, request: FastifyRequest): PricedConversation {
    return this.converse(body, (param) => param, request);
  }

  /** The price of a call in the common shape. */
  converse(asked: CompletionBody, nameOf: FieldNames, request: FastifyRequest): PricedConversation {
    const model = this.catalog.textModel(asked.model);
    const words = forwarded(asked);
    const images = imagesIn(asked);
    const worst = worstCase(model, asked, words, images.length, nameOf);
    refuseTooMany(images, nameOf);
    const percent = batchDiscountOf(request);
    const base = { asked, nameOf, model, words, images, worst };
    const forAccounts = this.atClass('accounts', base, percent);
    return { ...this.atClass('retail', base, percent), forAccounts };
  }

  private atClass(
    priceClass: PriceClass,
    base: Pick<PricedConversation, 'asked' | 'nameOf' | 'model' | 'words' | 'images' | 'worst'>,
    percent: number,
  ): PricedConversation {
    const { asked, model, worst } = base;
    const isAccount = priceClass === 'accounts';
    const priceOf = (cost: Micro): Micro =>
      discounted(isAccount ? cost : this.pricing.retail(cost), percent, micro(0n));
    const list = priceOf(worst.price);
    return {
      ...base,
      modelId: model.id,
      adultsOnly: model.adultsOnly,
      mode: 'studio',
      // A quote is valid for one class and one discount only.
      input: `studio|${priceClass}|${percent}|${worst.inputMax}|${maxTokensOf(asked)}`,
      list,
      // This floor keeps the discount of a wallet's tier from reducing a worst case.
      floor: isAccount ? micro(0n) : list,
      live: false,
      priceOf,
    };
  }

  cheapest(request: FastifyRequest): PricedConversation {
    return this.price({ messages: [{ role: 'user', content: '' }], max_tokens: 1 }, request);
  }
}

/** The pricer's result for a call. */
export const conversationOf = ({ priced }: Pick<PaidCall, 'priced'>): PricedConversation =>
  priced as PricedConversation;
