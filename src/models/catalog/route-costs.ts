import type { AppError } from '#kernel/app-error';
import { type Micro, micro } from '#kernel/money';
import { NothingServes } from '#models/providers/routing/unsold-model.errors';
import { type OptionalInputs, optionalInputsIn } from '#models/providers/optional-inputs';
import type { ProviderRoute } from '#models/providers/routing/route';
import type { TextUsage } from '#models/providers/text-provider';
import { PromptTooLong } from './catalog.errors';
import { tokensPrice } from './chat-price-calculator';
import { type MediaOptions, costOf } from './media-price-calculator';
import type { PricedCall } from './priced-call';
import type { TextRates } from './rates';

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

interface TokenBilled {
  readonly id: string;
  readonly routes: readonly ProviderRoute[];
}

/** The price of a call, and the expected cost for routes without prices of their own. */
interface Money {
  readonly price: Micro;
  readonly cost?: Micro;
}

type Prompted = MediaOptions & { readonly prompt: string };

/** Whether the price of a call covers what the vendor of a route may bill for its prompt. */
const covers = (route: ProviderRoute, media: Prompted, money: Money): boolean => {
  const most = bytesMaxAt(route, media, money);
  return most === undefined || most >= Buffer.byteLength(media.prompt);
};

const bytesMaxAt = (route: ProviderRoute, media: Prompted, { price, cost }: Money): bigint | undefined =>
  promptBytesMax(route, media, price, mediaCost(route, media, cost) ?? micro(0n));

/** Why no vendor of a model may get this prompt at the price of the call. Undefined if one may. */
const refusalOfPrompt = (model: TokenBilled, media: Prompted, money: Money): AppError | undefined => {
  if (model.routes.length === 0 || model.routes.some((route) => covers(route, media, money)))
    return undefined;
  const longest = model.routes.map((route) => bytesMaxAt(route, media, money) ?? 0n);
  const most = longest.reduce((a, b) => (a > b ? a : b));
  // Otherwise the price does not even cover the results.
  return most > 0n
    ? new PromptTooLong(model.id, most, Buffer.byteLength(media.prompt))
    : new NothingServes(model.id);
};

/** Without the routes that would ignore an optional input of the call. */
export const fitting = <Model extends TokenBilled>(model: Model, call: OptionalInputs): Model => {
  const inputs = optionalInputsIn(call);
  if (inputs.length === 0) return model;
  return {
    ...model,
    routes: model.routes.filter(({ takes = [] }) => inputs.every((input) => takes.includes(input))),
  };
};

/** The price of a call, with the reason if no vendor may get its prompt at the price that the payer pays. */
export const withRefusal = (
  priced: PricedCall,
  model: TokenBilled,
  options: MediaOptions,
  call: OptionalInputs & { readonly prompt?: string },
): PricedCall => ({
  ...priced,
  refusalAt: (price) =>
    refusalOfPrompt(
      fitting(model, call),
      { ...options, prompt: call.prompt ?? '' },
      { price, cost: priced.cost },
    ),
});

/** Without the routes whose vendor could bill more for this prompt than the price of the call. */
export const covering = <Model extends TokenBilled>(model: Model, media: Prompted, money: Money): Model => {
  const refusal = refusalOfPrompt(model, media, money);
  if (refusal !== undefined) throw refusal;
  const routes = model.routes.filter((route) => covers(route, media, money));
  return routes.length === model.routes.length ? model : { ...model, routes };
};
