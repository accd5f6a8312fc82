import { type Micro, ceilDiv, micro } from '../kernel/money';
import type { ProviderRoute } from '../providers/routing/route';
import type { TextUsage } from '../providers/text-provider';
import type { TextRates } from './chat-pricing';
import { type MediaOptions, costOf } from './media-pricing';

/** The cost of work at a route. */
export interface RouteCost {
  readonly cost: Micro;
  /** True if the vendor's answer named the cost. False if the service computed the cost from rates. */
  readonly isReported: boolean;
}

const PER_MILLION = 1_000_000n;
/** More tokens than any answer has. A vendor that counts more is mistaken, and its count must not distort the sums. */
const COUNT_MAX = 1_000_000_000;

const bounded = (count = 0, most: number): number => Math.min(most, Math.max(0, count));

/**
 * The cost of a text: the vendor's own bill, or its counts at the prices of the route or the model. Cached tokens cost
 * as much as other tokens, unless the route has a price for them. A fraction of a micro-USD is rounded up.
 */
export const textCost = (rates: TextRates, { costs }: ProviderRoute, usage: TextUsage): RouteCost => {
  if (usage.cost !== undefined) return { cost: usage.cost, isReported: true };
  const prompt = bounded(usage.promptTokens, COUNT_MAX);
  const read = bounded(usage.cacheReadTokens, prompt);
  const written = bounded(usage.cacheWriteTokens, prompt - read);
  const input = costs?.get('input') ?? rates.input;
  const output = costs?.get('output') ?? rates.output;
  const sum =
    BigInt(prompt - read - written) * input +
    BigInt(read) * (costs?.get('cacheRead') ?? input) +
    BigInt(written) * (costs?.get('cacheWrite') ?? input) +
    BigInt(bounded(usage.completionTokens, COUNT_MAX)) * output;
  return { cost: micro(ceilDiv(sum, PER_MILLION)), isReported: false };
};

/** The cost of a medium by the route's own prices. If the route has none, the expected cost. */
export const mediaCost = (
  { costs }: ProviderRoute,
  options: MediaOptions,
  expected: Micro | undefined,
): Micro | undefined => (costs === undefined ? expected : costOf(costs, options));
