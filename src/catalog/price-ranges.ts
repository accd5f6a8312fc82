import { usdText } from '../kernel/money';
import type { PriceRules } from '../platform/config/settings';

export interface PriceRange {
  readonly min: string;
  readonly max: string;
}

/** The least and the most that a call of each kind costs, in USD, as it is published. */
export const priceRanges = (rules: PriceRules) => ({
  chat: { min: usdText(rules.chatFloor), max: usdText(rules.chatCap) },
  media: { min: usdText(rules.mediaFloor), max: usdText(rules.mediaCap) },
});

export type PriceRanges = ReturnType<typeof priceRanges>;
