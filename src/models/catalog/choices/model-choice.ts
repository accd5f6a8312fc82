import { withoutAbsent } from '#kernel/present';
import type { ProviderRoute } from '#models/providers/routing/route';
import { type Ratio, ratioIn } from '../prices.settings';
import { type RateTexts, type TextRates, dearestAmong, pricesIn } from '../rates';

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
 * The rates of a model of the book with the operator's price. Each kind costs at least as much
 * as at the dearest route, also after a vendor raised its price. Only `belowCost` permits less.
 */
const chosenRates = (rates: TextRates, { markup, rates: own, belowCost }: ModelChoice): TextRates => {
  const { markup: usual, ...costs } = rates;
  if (usual === undefined) return rates;
  if (own !== undefined) {
    const prices = pricesIn(own);
    return { ...(belowCost === true ? prices : dearestAmong([prices, costs])), markup: ONE };
  }
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
