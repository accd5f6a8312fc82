import type { Micro } from '../kernel/money';

/** A call with its list price: what billing, quotes and price locks all speak of. */
export interface PricedCall {
  readonly modelId: string;
  /** What kind of call it is, in a word of its route: a mode of media, `chat`, `top_up`. */
  readonly mode: string;
  /** Everything the price depends on, in one line: two calls with the same line and model cost the same. */
  readonly input: string;
  readonly list: Micro;
  /** No discount takes the price below it. */
  readonly floor: Micro;
  /** What the provider is expected to ask; undefined for text, whose real tokens are known only afterwards. */
  readonly cost?: Micro;
  /** True when `cost` comes from the provider just now, false when it comes from the rate card. */
  readonly live: boolean;
}
