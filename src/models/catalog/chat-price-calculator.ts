import { Inject, Injectable } from '@nestjs/common';

import { type Micro, ceilDiv, larger, micro, smaller } from '#kernel/money';
import { ifPresent } from '#kernel/present';
import type { AppError } from '#kernel/app-error';
import type { PricedCall } from './priced-call';
import { discounted } from './volume-discount';
import type { PriceRules, PriceSettings, Ratio } from './prices.settings';
import { type TextRates, marked, unmarked } from './rates';
import { SETTINGS } from '#platform/config/settings';
import type { TextUsage } from '#models/providers/text-provider';
import { pricesAt } from '#models/providers/token-prices';
import { estimatedTokens } from './token-estimate';
import { CHAT_CHARS_MAX, CHAT_TOKENS_MAX, CHAT_TOKENS_DEFAULT } from './chat-limits';

const PER_MILLION = 1_000_000n;

/** Counted tokens. The tokens of each kind are among those of the prompt, or of the answer. */
export type CountedTokens = Omit<TextUsage, 'cost'>;

/** More tokens than any conversation has. A vendor that counts more is mistaken. */
export const COUNT_MAX = 1_000_000_000;

const ONE: Ratio = { times: 1n, over: 1n };

const bounded = (count = 0, most: number): number => Math.min(most, Math.max(0, count));

/**
 * The price of counted tokens at the step that the input reaches. The service rounds up to a whole micro-USD once, after
 * the markup of the rates.
 */
export const tokensPrice = (rates: TextRates, counted: CountedTokens): Micro => {
  const prompt = bounded(counted.promptTokens, COUNT_MAX);
  const answered = bounded(counted.completionTokens, COUNT_MAX);
  const {
    input,
    output,
    cacheRead = input,
    cacheWrite = input,
    cacheWrite1h = cacheWrite,
    inputAudio,
    inputImage,
    outputAudio,
  } = pricesAt(rates, prompt);
  // Vendors do not count how much of the sound came from the cache, so none of it has the cheaper price.
  const sound = inputAudio === undefined ? 0 : bounded(counted.inputAudioTokens, prompt);
  const seen = inputImage === undefined ? 0 : bounded(counted.inputImageTokens, prompt - sound);
  const read = bounded(counted.cacheReadTokens, prompt - sound - seen);
  const written = bounded(counted.cacheWriteTokens, prompt - sound - seen - read);
  const forAnHour = bounded(counted.cacheWrite1hTokens, written);
  const spoken = outputAudio === undefined ? 0 : bounded(counted.outputAudioTokens, answered);
  const sum =
    BigInt(prompt - sound - seen - read - written) * input +
    BigInt(sound) * (inputAudio ?? input) +
    BigInt(seen) * (inputImage ?? input) +
    BigInt(read) * cacheRead +
    BigInt(written - forAnHour) * cacheWrite +
    BigInt(forAnHour) * cacheWrite1h +
    BigInt(answered - spoken) * output +
    BigInt(spoken) * (outputAudio ?? output);
  const { times, over } = rates.markup ?? ONE;
  return micro(ceilDiv(sum * times, over * PER_MILLION));
};

const BYTES_OF_CHAR_MAX = 4;

const uncappedChat = (rates: TextRates, tokens: bigint, maxTokens: number, markup: Ratio): bigint => {
  const { input, output } = pricesAt(rates, Number(tokens));
  return ceilDiv((tokens * input + BigInt(maxTokens) * output) * markup.times, markup.over * PER_MILLION);
};

/**
 * The list price of a chat call: the estimated input and the whole output cap, with markup. The cap binds the catalog's
 * own models only, because a model of the book must never sell below its cost. The characters underestimate the tokens of
 * rare scripts, so such a model costs at least the most tokens of its input.
 */
export const chatPrice = (
  rules: PriceRules,
  rates: TextRates,
  chars: number,
  maxTokens: number,
  tokensMax: number = chars * BYTES_OF_CHAR_MAX,
): Micro => {
  const usual = uncappedChat(rates, estimatedTokens(chars), maxTokens, chatMarkup(rules, rates));
  const price = larger(rules.chatFloor, micro(usual));
  const { markup } = rates;
  return markup === undefined
    ? smaller(rules.chatCap, price)
    : larger(price, micro(uncappedChat(rates, BigInt(tokensMax), maxTokens, markup)));
};

/**
 * The markup of a call with a fixed price. The characters underestimate the tokens of rare scripts. So a
 * model of the book gets no smaller markup than the others.
 */
export const chatMarkup = ({ chatMarkup: usual }: PriceRules, { markup = usual }: TextRates): Ratio =>
  markup.times * usual.over > usual.times * markup.over ? markup : usual;

/** The most expensive call that a text model allows, before the cap. */
export const highestChatPrice = (rules: PriceRules, rates: TextRates): Micro =>
  micro(uncappedChat(rates, estimatedTokens(CHAT_CHARS_MAX), CHAT_TOKENS_MAX, chatMarkup(rules, rates)));

/** Prices chat calls, for quotes and for billing alike. */
@Injectable()
export class ChatPriceCalculator {
  private readonly rules: PriceRules;

  constructor(@Inject(SETTINGS) settings: PriceSettings) {
    this.rules = settings.price;
  }

  /**
   * The price of tokens at the catalog's rates. Callers without an account pay a markup and at least the floor, except
   * for a model of the book, whose rates have their markup. No discount takes a model below its cost. `share` is the
   * largest share of the catalog's rates that a token costs.
   */
  ofTokens(
    { markup }: TextRates,
    tokens: Micro,
    isAccount: boolean,
    percent: number,
    share: Ratio = { times: 0n, over: 1n },
  ): Micro {
    if (markup !== undefined) return discounted(tokens, percent, smaller(tokens, unmarked(tokens, markup)));
    const price = isAccount ? tokens : this.retail(tokens);
    return discounted(price, percent, smaller(price, marked(tokens, share)));
  }

  /** The price of a cost at the catalog's rates, for callers without an account. */
  retail(cost: Micro): Micro {
    return larger(this.rules.chatFloor, marked(cost, this.rules.chatMarkup));
  }

  price(
    model: Pick<PricedCall, 'isListed' | 'adultsOnly'> & {
      readonly id: string;
      readonly rates: TextRates;
      readonly refusal?: AppError;
    },
    chars: number,
    maxTokens: number = CHAT_TOKENS_DEFAULT,
    tokensMax: number = chars * BYTES_OF_CHAR_MAX,
  ): PricedCall {
    const list = chatPrice(this.rules, model.rates, chars, maxTokens, tokensMax);
    const input = `chat|${chars}|${maxTokens}`;
    const { id: modelId, isListed, adultsOnly, refusal } = model;
    const { markup } = model.rates;
    const sealed = markup === undefined ? input : `${input}|${tokensMax}`;
    // No discount takes a model of the book below what its longest input costs.
    const most = markup === undefined ? 0n : uncappedChat(model.rates, BigInt(tokensMax), maxTokens, ONE);
    return {
      modelId,
      isListed,
      adultsOnly,
      mode: 'chat',
      input: sealed,
      list,
      floor: larger(this.rules.chatFloor, smaller(list, micro(most))),
      live: false,
      refusalAt: ifPresent(refusal, (reason) => () => reason),
    };
  }
}
