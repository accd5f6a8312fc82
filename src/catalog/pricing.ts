import { type Micro, ceilDiv, larger, micro, smaller, usdText } from '../kernel/money';
import type { PriceRules, Ratio } from '../platform/config/settings';

/** Micro-USD per million tokens: 0.22 USD per Mtok is 220000. */
export interface TextRates {
  readonly input: Micro;
  readonly output: Micro;
}

const PER_MILLION = 1_000_000n;

/** The limits of a chat call, which also bound its price. */
export const CHAT_CHARS_MAX = 48_000;
export const CHAT_TOKENS_MAX = 8_192;
export const CHAT_TOKENS_DEFAULT = 1_024;

/** Unicode code points, as people count characters; an emoji is one. */
export const codePoints = (text: string): number => {
  let count = 0;
  for (let at = 0; at < text.length; at += 1) {
    const unit = text.charCodeAt(at);
    // The second half of a pair belongs to the character that was just counted.
    if (unit < 0xdc00 || unit > 0xdfff) count += 1;
  }
  return count;
};

/** 3.5 characters a token, rounded up: `2 * chars / 7` keeps it in whole numbers. */
export const estimatedTokens = (chars: number): bigint => ceilDiv(2n * BigInt(chars), 7n);

const uncappedChat = (rates: TextRates, chars: number, maxTokens: number, markup: Ratio): bigint =>
  ceilDiv(
    (estimatedTokens(chars) * rates.input + BigInt(maxTokens) * rates.output) * markup.times,
    markup.over * PER_MILLION,
  );

/** What a chat call costs at list price: the estimated input and the whole output cap, marked up. */
export const chatPrice = (rules: PriceRules, rates: TextRates, chars: number, maxTokens: number): Micro =>
  smaller(
    rules.chatCap,
    larger(rules.chatFloor, micro(uncappedChat(rates, chars, maxTokens, rules.chatMarkup))),
  );

/** The dearest call that a text model allows, before the cap. */
export const dearestChat = (rules: PriceRules, rates: TextRates): Micro =>
  micro(uncappedChat(rates, CHAT_CHARS_MAX, CHAT_TOKENS_MAX, rules.chatMarkup));

/** List price of a media call from its cost; undefined when it would pass the cap, which is not for sale. */
export const mediaPrice = (rules: PriceRules, cost: Micro): Micro | undefined => {
  const { times, over } = rules.mediaMarkup;
  const price = larger(rules.mediaFloor, micro(ceilDiv(cost * times, over)));
  return price > rules.mediaCap ? undefined : price;
};

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

/** Volume tiers, by the USDC that a wallet has paid in on chain. The edges belong to the tier. */
export const TIERS: readonly { readonly from: Micro; readonly percent: number }[] = [
  { from: micro(2_000_000_000n), percent: 15 },
  { from: micro(500_000_000n), percent: 10 },
  { from: micro(100_000_000n), percent: 5 },
];

export const tierPercent = (paidIn: Micro): number => TIERS.find((tier) => paidIn >= tier.from)?.percent ?? 0;

/** A discount never takes a price below its floor. */
export const discounted = (list: Micro, percent: number, floor: Micro): Micro =>
  percent === 0 ? list : larger(floor, micro(ceilDiv(list * BigInt(100 - percent), 100n)));
