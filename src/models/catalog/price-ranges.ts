import { type Micro, larger, usdText } from '#kernel/money';
import type { MediaModel, TextModel } from './catalog-models';
import { highestChatPrice } from './chat-pricing';
import { highestMediaPrice } from './media-pricing';
import type { PriceRules } from './prices.settings';

export interface PriceRange {
  readonly min: string;
  readonly max: string;
}

/** The cap, or the highest price of a model that it does not bind. */
const highest = <Model extends { readonly isListed?: boolean }>(
  models: readonly Model[],
  cap: Micro,
  priceOf: (model: Model) => Micro,
): string =>
  usdText(
    models
      .filter(({ isListed }) => isListed)
      .map(priceOf)
      .reduce(larger, cap),
  );

/** The lowest and the highest price of each kind of call, in USD, for the public. The cap does not bind models of a list. */
export const priceRanges = (
  rules: PriceRules,
  models: readonly TextModel[] = [],
  media: readonly MediaModel[] = [],
) => ({
  chat: {
    min: usdText(rules.chatFloor),
    max: highest(models, rules.chatCap, ({ rates }) => highestChatPrice(rules, rates)),
  },
  media: {
    min: usdText(rules.mediaFloor),
    max: highest(media, rules.mediaCap, (model) => highestMediaPrice(rules, model)),
  },
});

export type PriceRanges = ReturnType<typeof priceRanges>;
