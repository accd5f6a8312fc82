import { usdText } from '#kernel/money';
import type { PriceRules } from './prices.settings';

export interface PriceRange {
  readonly min: string;
  readonly max: string;
}

/** The lowest and the highest price of each kind of call, in USD, for the public. */
export const priceRanges = (rules: PriceRules) => ({
  chat: { min: usdText(rules.chatFloor), max: usdText(rules.chatCap) },
  media: { min: usdText(rules.mediaFloor), max: usdText(rules.mediaCap) },
});

export type PriceRanges = ReturnType<typeof priceRanges>;
