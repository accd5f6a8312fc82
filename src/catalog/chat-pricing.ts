import { Inject, Injectable } from '@nestjs/common';

import { type PriceRules, SETTINGS, type Settings } from '../platform/config/settings';
import type { TextModel } from './catalog';
import type { PricedCall } from './priced-call';
import { CHAT_TOKENS_DEFAULT, chatPrice, codePoints } from './pricing';

export const charsOf = (messages: readonly { readonly content: string }[]): number =>
  messages.reduce((sum, { content }) => sum + codePoints(content), 0);

/** Prices chat calls, for quotes and for billing alike. */
@Injectable()
export class ChatPricing {
  private readonly rules: PriceRules;

  constructor(@Inject(SETTINGS) settings: Settings) {
    this.rules = settings.price;
  }

  price(model: TextModel, chars: number, maxTokens: number = CHAT_TOKENS_DEFAULT): PricedCall {
    const list = chatPrice(this.rules, model.rates, chars, maxTokens);
    const input = `chat|${chars}|${maxTokens}`;
    return { modelId: model.id, mode: 'chat', input, list, floor: this.rules.chatFloor, live: false };
  }
}
