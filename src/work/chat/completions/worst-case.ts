import type { TextModel } from '#models/catalog/catalog-models';
import { tokensPrice } from '#models/catalog/chat-price-calculator';
import { CONTEXT_TOKENS_MAX } from '#models/catalog/token-estimate';
import { dearestOf } from '#models/catalog/rates';
import { type Conversation, nameOf } from '#models/conversation/conversation';
import { countedBody } from '#models/conversation/sent-body';
import { InvalidRequest } from '#kernel/app-error';
import type { Micro } from '#kernel/money';
import { likelyTokens } from './likely-tokens';

/** The most tokens of an image, for a model without `imageTokensMax` in the catalog. */
const IMAGE_TOKENS_MAX = 20_000;

/** The highest possible price of a conversation, and its expected input. */
export interface WorstCase {
  readonly price: Micro;
  /** The same for an answer of so many tokens. */
  readonly priceAt: (tokens: number) => Micro;
  /** The price for the expected input. */
  readonly likelyAt: (tokens: number) => Micro;
  /** The most tokens that a tokenizer can count in the input. */
  readonly inputMax: number;
  /** An estimate of the input tokens, for a provider that reports no count. */
  readonly input: number;
  /** Whether the body asks for a cache of an hour, which has a price of its own. */
  readonly isHour: boolean;
  /**
   * The beginning of the body, which all turns of a conversation share. The vendor that answered before has it in its
   * cache.
   */
  readonly beginning: string;
}

/** Enough characters to distinguish conversations. */
const BEGINNING_CHARS = 4_000;

/** A copy, because a part of a text keeps the whole text in memory. */
const beginningOf = (text: string): string =>
  text.length <= BEGINNING_CHARS ? text : Buffer.from(text.slice(0, BEGINNING_CHARS)).toString();

/** `contextTokens` is the smallest of the routes, and nothing refuses a longer document, so another route may read more. */
const longestInputOf = ({ inputTokensMax, contextTokens, routes }: TextModel): number => {
  if (inputTokensMax !== undefined) return inputTokensMax;
  return routes.length > 1
    ? Math.max(contextTokens ?? 0, CONTEXT_TOKENS_MAX)
    : (contextTokens ?? CONTEXT_TOKENS_MAX);
};

/**
 * No tokenizer counts more than one token for each sent byte. For images, the model's maximum counts instead. A
 * document of few bytes can have hundreds of pages, so with one the whole context counts.
 */
export const worstCase = (model: TextModel, conversation: Conversation, maxTokens: number): WorstCase => {
  const images = conversation.images.length;
  if (images > 0 && model.vision !== true) {
    throw new InvalidRequest(`${model.id} does not see images; choose a model with "vision": true.`, {
      param: nameOf(conversation, 'turns'),
    });
  }
  const text = JSON.stringify(countedBody(conversation));
  const imageTokens = model.imageTokensMax ?? IMAGE_TOKENS_MAX;
  const inputMax =
    conversation.documents > 0 ? longestInputOf(model) : Buffer.byteLength(text) + images * imageTokens;
  const likely = Math.min(inputMax, likelyTokens(text) + images * imageTokens);
  const isHour = text.includes('"1h"');
  const at = (promptTokens: number) => {
    const dearest = dearestOf(model.rates, promptTokens, isHour);
    return (completionTokens: number): Micro => tokensPrice(dearest, { promptTokens, completionTokens });
  };
  return {
    price: at(inputMax)(maxTokens),
    priceAt: at(inputMax),
    likelyAt: at(likely),
    inputMax,
    input: likely,
    isHour,
    beginning: beginningOf(text),
  };
};
