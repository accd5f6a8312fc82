import { type Micro, larger, usdText } from '#kernel/money';
import type { MediaModel, TextModel } from './catalog-models';
import { highestChatPrice } from './chat-price-calculator';
import { highestMediaPrice } from './media-price-calculator';
import type { PriceRules } from './prices.settings';

export interface PriceRange {
  readonly min: string;
  readonly max: string;
}

/** The cap, or the highest price of a model that it does not bind. */
const highest = <Model>(models: readonly Model[], cap: Micro, priceOf: (model: Model) => Micro): string =>
  usdText(models.map(priceOf).reduce(larger, cap));

/**
 * The lowest and the highest price of each kind of call, in USD, for the public. The cap does not bind models with a markup
 * of their own: those of a list, and those of a file with `markup`.
 */
export const priceRanges = (
  rules: PriceRules,
  models: readonly TextModel[] = [],
  media: readonly MediaModel[] = [],
) => ({
  chat: {
    min: usdText(rules.chatFloor),
    max: highest(
      models.filter(({ rates }) => rates.markup !== undefined),
      rules.chatCap,
      ({ rates }) => highestChatPrice(rules, rates),
    ),
  },
  media: {
    min: usdText(rules.mediaFloor),
    max: highest(
      media.filter(({ markup }) => markup !== undefined),
      rules.mediaCap,
      (model) => highestMediaPrice(rules, model),
    ),
  },
});

export type PriceRanges = ReturnType<typeof priceRanges>;
