import type { TextModel } from '../../catalog/catalog';
import { tokensPrice } from '../../catalog/chat-pricing';
import { type Conversation, nameOf } from '../../conversation/conversation';
import { countedBody } from '../../conversation/sent-body';
import { InvalidRequest } from '../../kernel/app-error';
import { type Micro, larger } from '../../kernel/money';

/** The most tokens of an image, for a model without `imageTokensMax` in the catalog. */
const IMAGE_TOKENS_MAX = 20_000;

/** The most tokens that a vendor reads, for a model without `contextTokens` in the catalog. */
const CONTEXT_TOKENS_MAX = 1_000_000;

/** The hold of an answer begins with so many tokens, and grows by as many. */
export const STEP_TOKENS = 8_000;

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
  /**
   * The beginning of the body, which all turns of a conversation share. The vendor that answered before has it in its
   * cache.
   */
  readonly beginning: string;
}

/** Enough characters to distinguish conversations. */
const BEGINNING_CHARS = 4_000;

/**
 * Estimates the tokens of a text that no provider has counted: one for 3.5 letters, and one for two bytes of other
 * characters. The estimate is close for prose, for code and for scripts of three bytes a letter.
 */
export const likelyTokens = (text: string): number => {
  let letters = 0;
  for (let at = 0; at < text.length; at += 1) {
    const code = text.charCodeAt(at);
    const small = code | 0x20; // Maps capital letters to small ones.
    if (code === 0x20 || (small >= 0x61 && small <= 0x7a)) letters += 1;
  }
  const others = Buffer.byteLength(text) - letters;
  return Math.ceil((4 * letters + 7 * others) / 14);
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
  const seen = images * (model.imageTokensMax ?? IMAGE_TOKENS_MAX);
  const inputMax =
    conversation.documents > 0 ? (model.contextTokens ?? CONTEXT_TOKENS_MAX) : Buffer.byteLength(text) + seen;
  const { input, output, cacheWrite = input } = model.rates;
  // The vendor may write the whole prompt into its cache.
  const dearest = { input: larger(input, cacheWrite), output };
  const likely = Math.min(inputMax, likelyTokens(text) + seen);
  const at =
    (promptTokens: number) =>
    (completionTokens: number): Micro =>
      tokensPrice(dearest, { promptTokens, completionTokens });
  return {
    price: at(inputMax)(maxTokens),
    priceAt: at(inputMax),
    likelyAt: at(likely),
    inputMax,
    input: likely,
    beginning: text.slice(0, BEGINNING_CHARS),
  };
};
