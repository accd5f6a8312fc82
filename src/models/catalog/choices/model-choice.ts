import { ifPresent, withoutAbsent } from '#kernel/present';
import type { ProviderRoute } from '#models/providers/routing/route';
import { type KindPrices, TOKEN_KINDS, type TokenPrices, pricesAt } from '#models/providers/token-prices';
import { type Ratio, ratioIn } from '../prices.settings';
import { type RateTexts, type TextRates, dearestAmong, markedPrices, pricesIn, withSteps } from '../rates';

export type RouteName = Pick<ProviderRoute, 'provider' | 'model'>;

export interface RouteChoice extends RouteName {
  readonly leftOut?: boolean;
}

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
  /** The routes to try first, and those to which no call goes. */
  readonly routes?: readonly RouteChoice[];
}

const ONE: Ratio = { times: 1n, over: 1n };

export const isSameRoute = (a: RouteName, b: RouteName): boolean =>
  a.provider === b.provider && a.model === b.model;

/** The routes that the operator did not leave out. */
export const usedOf = <Route extends RouteName>(
  routes: readonly Route[],
  order: readonly RouteChoice[] = [],
): readonly Route[] =>
  routes.filter((route) => !order.some((named) => named.leftOut === true && isSameRoute(named, route)));

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

/** A model at one or several vendors. */
export interface Offering {
  readonly rates: TextRates;
  readonly routes: readonly ProviderRoute[];
  readonly contextTokens?: number;
  readonly inputTokensMax?: number;
  readonly maxOutputTokens?: number;
  readonly vision?: boolean;
  readonly reasoning?: boolean;
  readonly tools?: boolean;
}

const known = (counts: readonly (number | undefined)[]): number[] =>
  counts.filter((count) => count !== undefined);

const least = (counts: readonly (number | undefined)[]): number | undefined =>
  known(counts).length === 0 ? undefined : Math.min(...known(counts));

/** A model whose calls may go to any of these vendors. Its rates are those of the dearest one, so that no route sells below its cost. */
export const together = (offerings: readonly [Offering, ...Offering[]]): Offering => {
  const [first, ...others] = offerings;
  if (others.length === 0) return first;
  const all = (fact: 'vision' | 'reasoning' | 'tools'): true | undefined =>
    offerings.every((each) => each[fact] === true) || undefined;
  return {
    rates: {
      ...dearestAmong(offerings.map(({ rates: { markup: _, ...costs } }) => costs)),
      markup: first.rates.markup,
    },
    routes: offerings.flatMap(({ routes }) => routes),
    contextTokens: least(offerings.map(({ contextTokens }) => contextTokens)),
    inputTokensMax: Math.max(...known(offerings.map(({ inputTokensMax }) => inputTokensMax))),
    maxOutputTokens: least(offerings.map(({ maxOutputTokens }) => maxOutputTokens)),
    vision: all('vision'),
    reasoning: all('reasoning'),
    tools: all('tools'),
  };
};

interface Choosable {
  readonly routes: readonly ProviderRoute[];
  readonly rates?: TextRates;
  /** Of media and sound. */
  readonly markup?: Ratio;
  readonly private?: boolean;
  readonly adultsOnly?: boolean;
  readonly offers?: readonly Offering[];
}

/** The facts of a model at the vendors that the operator did not leave out. Empty if that is none or all of them. */
const atUsedVendors = ({ offers = [] }: Choosable, order: ModelChoice['routes']): Partial<Offering> => {
  const [first, ...others] = offers.filter(({ routes }) => usedOf(routes, order).length > 0);
  return first === undefined || others.length + 1 === offers.length ? {} : together([first, ...others]);
};

/** A copy of a model with the operator's changes. */
export const withChoice = <Model extends Choosable>(given: Model, choice?: ModelChoice): Model => {
  if (choice === undefined) return { ...given };
  const model = { ...given, ...atUsedVendors(given, choice.routes) };
  return {
    ...model,
    ...withoutAbsent({ private: choice.private, adultsOnly: choice.adultsOnly }),
    ...(model.rates === undefined ? {} : { rates: chosenRates(model.rates, choice) }),
    ...(model.markup === undefined ? {} : { markup: ifPresent(choice.markup, ratioIn) ?? model.markup }),
    routes: inOrder(usedOf(given.routes, choice.routes), choice.routes),
  };
};
