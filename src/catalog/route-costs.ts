import { type Micro, ceilDiv, micro } from '../kernel/money';
import type { ProviderRoute } from '../providers/routing/route';
import type { TextUsage } from '../providers/text-provider';
import type { TextRates } from './chat-pricing';
import { type MediaOptions, costOf } from './media-pricing';

/** The cost of work at a route. */
export interface RouteCost {
  readonly cost: Micro;
  /** The vendor's answer named it. Otherwise it follows from rates. */
  readonly isTold: boolean;
}

const PER_MILLION = 1_000_000n;

/**
 * The cost of a text: the vendor's own bill, else its counts at the route's prices, or at those of the model. Tokens of a
 * cache cost as others unless the route has a price for them. A fraction of a micro counts as one.
 */
export const textCost = (rates: TextRates, { costs }: ProviderRoute, usage: TextUsage): RouteCost => {
  if (usage.cost !== undefined) return { cost: usage.cost, isTold: true };
  const { promptTokens, completionTokens, cacheReadTokens = 0, cacheWriteTokens = 0 } = usage;
  const input = costs?.get('input') ?? rates.input;
  const output = costs?.get('output') ?? rates.output;
  const plain = Math.max(0, promptTokens - cacheReadTokens - cacheWriteTokens);
  const sum =
    BigInt(plain) * input +
    BigInt(cacheReadTokens) * (costs?.get('cacheRead') ?? input) +
    BigInt(cacheWriteTokens) * (costs?.get('cacheWrite') ?? input) +
    BigInt(completionTokens) * output;
  return { cost: micro(ceilDiv(sum, PER_MILLION)), isTold: false };
};

/** The cost of a medium by the route's own prices, or else as the model is expected to cost. */
export const mediaCost = (
  { costs }: ProviderRoute,
  options: MediaOptions,
  expected: Micro | undefined,
): Micro | undefined => (costs === undefined ? expected : costOf(costs, options));
