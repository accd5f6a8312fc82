import { larger, usdText } from '#kernel/money';
import type { TextModel } from './catalog';
import { highestChatPrice } from './chat-pricing';
import type { PriceRules } from './prices.settings';

export interface PriceRange {
  readonly min: string;
  readonly max: string;
}

/** The lowest and the highest price of each kind of call, in USD, for the public. The cap does not bind models of a list. */
export const priceRanges = (rules: PriceRules, models: readonly TextModel[] = []) => ({
  chat: {
    min: usdText(rules.chatFloor),
    max: usdText(
      models
        .filter(({ isListed }) => isListed)
        .map(({ rates }) => highestChatPrice(rules, rates))
        .reduce(larger, rules.chatCap),
    ),
  },
  media: { min: usdText(rules.mediaFloor), max: usdText(rules.mediaCap) },
});

export type PriceRanges = ReturnType<typeof priceRanges>;
