import { withoutAbsent } from '#kernel/present';
import type { ProviderRoute } from '#models/providers/routing/route';
import { type KindPrices, TOKEN_KINDS, type TokenPrices, pricesAt } from '#models/providers/token-prices';
import { type Ratio, ratioIn } from '../prices.settings';
import { type RateTexts, type TextRates, dearestAmong, markedPrices, pricesIn, withSteps } from '../rates';

export type RouteName = Pick<ProviderRoute, 'provider' | 'model'>;

/** An operator's changes of a model. An absent field has its default. */
export interface ModelChoice {
  /** The factor from the cost to the price, such as `3/2`. */
  readonly markup?: string;
  /** Prices of a million tokens, instead of the cost with a markup. */
  readonly rates?: RateTexts;
  /** Whether the operator wants these prices although they are below the cost. */
  readonly belowCost?: boolean;
  readonly private?: boolean;
  readonly adultsOnly?: boolean;
  /** The routes to try first. */
  readonly routes?: readonly RouteName[];
}

const ONE: Ratio = { times: 1n, over: 1n };

export const isSameRoute = (a: RouteName, b: RouteName): boolean =>
  a.provider === b.provider && a.model === b.model;

/** The routes that the operator names come first, the others keep their order. */
const inOrder = <Route extends RouteName>(
  routes: readonly Route[],
  order: readonly RouteName[] = [],
): readonly Route[] => [
  ...new Set(order.flatMap((name) => routes.find((route) => isSameRoute(route, name)) ?? [])),
  ...routes.filter((route) => !order.some((name) => isSameRoute(route, name))),
];

/**
 * The operator's prices of the kinds that they name. Another kind with a price of its own at a vendor keeps the price that
 * it has without them.
 */
const ownPrices = (rates: TextRates, own: RateTexts, belowCost: boolean): TokenPrices => {
  const { markup: _, ...costs } = rates;
  const [usual, given] = [markedPrices(rates), pricesIn(own)];
  const named = belowCost ? given : dearestAmong([given, costs]);
  const at = (promptTokens: number): KindPrices => {
    const [its, others] = [pricesAt(named, promptTokens), pricesAt(usual, promptTokens)];
    return Object.fromEntries(
      TOKEN_KINDS.flatMap((kind) => {
        const price = own[kind] === undefined ? others[kind] : its[kind];
        return price === undefined ? [] : [[kind, price]];
      }),
    ) as unknown as KindPrices;
  };
  return withSteps([usual, named], at);
};

/**
 * The rates of a model of the book with the operator's price. Each kind costs at least as much
 * as at the dearest route, also after a vendor raised its price. Only `belowCost` permits less.
 */
const chosenRates = (rates: TextRates, { markup, rates: own, belowCost }: ModelChoice): TextRates => {
  const { markup: usual, ...costs } = rates;
  if (usual === undefined) return rates;
  if (own !== undefined) return { ...ownPrices(rates, own, belowCost === true), markup: ONE };
  return markup === undefined ? rates : { ...costs, markup: ratioIn(markup) };
};

interface Choosable {
  readonly routes: readonly ProviderRoute[];
  readonly private?: boolean;
  readonly adultsOnly?: boolean;
}

/** A copy of a model with the operator's changes. */
export const withChoice = <Model extends Choosable & { readonly rates?: TextRates }>(
  model: Model,
  choice: ModelChoice = {},
): Model => ({
  ...model,
  ...withoutAbsent({ private: choice.private, adultsOnly: choice.adultsOnly }),
  ...(model.rates === undefined ? {} : { rates: chosenRates(model.rates, choice) }),
  routes: inOrder(model.routes, choice.routes),
});
