import type { Micro } from '../kernel/money';
import { withoutAbsent } from '../kernel/present';
import type { ProviderRoute } from '../providers/routing/route';
import type { TextUsage } from '../providers/text-provider';
import { type TextRates, tokensPrice } from './chat-pricing';
import { type MediaOptions, costOf } from './media-pricing';

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
export const textCost = (rates: TextRates, { costs }: ProviderRoute, usage: TextUsage): RouteCost => {
  if (usage.cost !== undefined) return { cost: usage.cost, isReported: true };
  const own: TextRates =
    costs === undefined
      ? rates
      : withoutAbsent({
          input: costs.get('input') ?? rates.input,
          output: costs.get('output') ?? rates.output,
          cacheRead: costs.get('cacheRead'),
          cacheWrite: costs.get('cacheWrite'),
        });
  return { cost: tokensPrice(own, usage), isReported: false };
};

/** The cost of a medium by the route's own prices. If the route has none, the expected cost. */
export const mediaCost = (
  { costs }: ProviderRoute,
  options: MediaOptions,
  expected: Micro | undefined,
): Micro | undefined => (costs === undefined ? expected : costOf(costs, options));
