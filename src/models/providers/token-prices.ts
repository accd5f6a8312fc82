import type { Micro } from '#kernel/money';

/** The kinds of tokens that vendors bill at prices of their own. */
export const TOKEN_KINDS = [
  'input',
  'output',
  'cacheRead',
  'cacheWrite',
  'cacheWrite1h',
  'inputImage',
  'inputAudio',
  'outputAudio',
] as const;
export type TokenKind = (typeof TOKEN_KINDS)[number];

/** The prices of a million tokens of each kind, in micro-USD. */
export interface KindPrices extends Partial<Readonly<Record<TokenKind, Micro>>> {
  readonly input: Micro;
  readonly output: Micro;
  /** Without it, tokens that the vendor read from its cache cost as much as `input`. */
  readonly cacheRead?: Micro;
  /** The same for tokens that the vendor wrote into its cache. */
  readonly cacheWrite?: Micro;
  /** For tokens that the cache keeps for an hour. Without it, they cost as much as other written tokens. */
  readonly cacheWrite1h?: Micro;
}

/** Prices with steps. */
export interface TokenPrices extends KindPrices {
  /** The steps, rising. If the whole input has more than `tokens`, these prices hold for all tokens of the call. */
  readonly above?: readonly { readonly tokens: number; readonly prices: KindPrices }[];
}

/** The prices for an input of so many tokens. */
export const pricesAt = (prices: TokenPrices, promptTokens: number): KindPrices => {
  let found: KindPrices = prices;
  for (const step of prices.above ?? []) {
    if (promptTokens > step.tokens) found = step.prices;
  }
  return found;
};
