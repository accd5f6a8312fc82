import { Inject, Injectable } from '@nestjs/common';

import { type Micro, ceilDiv, larger, micro, smaller } from '../kernel/money';
import type { PricedCall } from './priced-call';
import type { PriceRules, PriceSettings, Ratio } from './prices.settings';
import { SETTINGS } from '../platform/config/settings';

const PER_MILLION = 1_000_000n;

/** Micro-USD per million tokens: 0.22 USD per Mtok is 220000. */
export interface TextRates {
  readonly input: Micro;
  readonly output: Micro;
  /** Without it, tokens that the vendor read from its cache cost as much as `input`. */
  readonly cacheRead?: Micro;
  /** The same for tokens that the vendor wrote into its cache. */
  readonly cacheWrite?: Micro;
}

/** Counted tokens. The cached tokens are among those of the prompt. */
export interface CountedTokens {
  readonly promptTokens: number;
  readonly completionTokens: number;
  readonly cacheReadTokens?: number;
  readonly cacheWriteTokens?: number;
}

/** More tokens than any conversation has. A vendor that counts more is mistaken. */
export const COUNT_MAX = 1_000_000_000;

const bounded = (count = 0, most: number): number => Math.min(most, Math.max(0, count));

/** The price of counted tokens, without markup or floor. A fraction of a micro-USD is rounded up. */
export const tokensPrice = (rates: TextRates, counted: CountedTokens): Micro => {
  const prompt = bounded(counted.promptTokens, COUNT_MAX);
  const read = bounded(counted.cacheReadTokens, prompt);
  const written = bounded(counted.cacheWriteTokens, prompt - read);
  const sum =
    BigInt(prompt - read - written) * rates.input +
    BigInt(read) * (rates.cacheRead ?? rates.input) +
    BigInt(written) * (rates.cacheWrite ?? rates.input) +
    BigInt(bounded(counted.completionTokens, COUNT_MAX)) * rates.output;
  return micro(ceilDiv(sum, PER_MILLION));
};

/** The limits of a chat call, which also bound its price. */
export const CHAT_CHARS_MAX = 48_000;
export const CHAT_TOKENS_MAX = 8_192;
export const CHAT_TOKENS_DEFAULT = 1_024;

/** The number of Unicode code points, as people count characters. A simple emoji is one. */
export const codePoints = (text: string): number => {
  let count = 0;
  for (let at = 0; at < text.length; at += 1) {
    const unit = text.charCodeAt(at);
    // The second half of a surrogate pair belongs to the character that was just counted.
    if (unit < 0xdc00 || unit > 0xdfff) count += 1;
  }
  return count;
};

export const charsOf = (messages: readonly { readonly content: string }[]): number =>
  messages.reduce((sum, { content }) => sum + codePoints(content), 0);

/** Estimates one token for 3.5 characters, rounded up. `2 * chars / 7` needs only whole numbers. */
export const estimatedTokens = (chars: number): bigint => ceilDiv(2n * BigInt(chars), 7n);

const uncappedChat = (rates: TextRates, chars: number, maxTokens: number, markup: Ratio): bigint =>
  ceilDiv(
    (estimatedTokens(chars) * rates.input + BigInt(maxTokens) * rates.output) * markup.times,
    markup.over * PER_MILLION,
  );

/** The list price of a chat call: the estimated input and the whole output cap, with markup. */
export const chatPrice = (rules: PriceRules, rates: TextRates, chars: number, maxTokens: number): Micro =>
  smaller(
    rules.chatCap,
    larger(rules.chatFloor, micro(uncappedChat(rates, chars, maxTokens, rules.chatMarkup))),
  );

/** The most expensive call that a text model allows, before the cap. */
export const highestChatPrice = (rules: PriceRules, rates: TextRates): Micro =>
  micro(uncappedChat(rates, CHAT_CHARS_MAX, CHAT_TOKENS_MAX, rules.chatMarkup));

/** Prices chat calls, for quotes and for billing alike. */
@Injectable()
export class ChatPricing {
  private readonly rules: PriceRules;

  constructor(@Inject(SETTINGS) settings: PriceSettings) {
    this.rules = settings.price;
  }

  /** The price of a cost at the catalog's rates, for callers without an account. */
  retail(cost: Micro): Micro {
    const { chatMarkup, chatFloor } = this.rules;
    return larger(chatFloor, micro(ceilDiv(cost * chatMarkup.times, chatMarkup.over)));
  }

  price(
    model: { readonly id: string; readonly adultsOnly?: boolean; readonly rates: TextRates },
    chars: number,
    maxTokens: number = CHAT_TOKENS_DEFAULT,
  ): PricedCall {
    const list = chatPrice(this.rules, model.rates, chars, maxTokens);
    const input = `chat|${chars}|${maxTokens}`;
    const { id: modelId, adultsOnly } = model;
    return { modelId, adultsOnly, mode: 'chat', input, list, floor: this.rules.chatFloor, live: false };
  }
}
