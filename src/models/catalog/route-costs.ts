import type { Micro } from '#kernel/money';
import type { ProviderRoute } from '#models/providers/routing/route';
import type { TextUsage } from '#models/providers/text-provider';
import { tokensPrice } from './chat-pricing';
import { type MediaOptions, costOf } from './media-pricing';
import type { TextRates } from './rates';

/** The cost of work at a route. */
export interface RouteCost {
  readonly cost: Micro;
  /** True if the vendor's answer named the cost. False if the service computed the cost from rates. */
  readonly isReported: boolean;
}

/**
 * The cost of a text: the vendor's own bill, or its counts at the prices of the route or the model. Cached tokens cost
 * as much as other tokens, unless the route has a price for them. A fraction of a micro-USD is rounded up.
 */
export const textCost = (
  { markup: _, ...rates }: TextRates,
  { prices = rates }: ProviderRoute,
  usage: TextUsage,
): RouteCost =>
  usage.cost === undefined
    ? { cost: tokensPrice(prices, usage), isReported: false }
    : { cost: usage.cost, isReported: true };

/** More tokens than a vendor adds to a prompt. */
const ADDED_TOKENS = 100n;
const PER_MILLION = 1_000_000n;

/**
 * The most bytes of a prompt whose tokens the price of a call covers, beside the fixed cost of its results. Undefined if
 * the vendor bills no tokens. No token has less than one byte. A vendor may count the prompt once for each result.
 */
export const promptBytesMax = (
  { prices }: ProviderRoute,
  { n = 1 }: MediaOptions,
  price: Micro,
  cost: Micro,
): bigint | undefined =>
  prices === undefined || prices.input === 0n
    ? undefined
    : ((price - cost) * PER_MILLION) / (prices.input * BigInt(n)) - ADDED_TOKENS;

/** The cost of a medium by the route's own prices. If the route has none, the expected cost. */
export const mediaCost = (
  { costs }: ProviderRoute,
  options: MediaOptions,
  expected: Micro | undefined,
): Micro | undefined => (costs === undefined ? expected : costOf(costs, options));
