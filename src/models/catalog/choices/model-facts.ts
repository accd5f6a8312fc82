import { isDeepStrictEqual } from 'node:util';

import { type Micro, usdText } from '#kernel/money';
import { ifPresent, withoutAbsent } from '#kernel/present';
import { kindOfName } from '#models/providers/models/sellable-models';
import { type ProviderRoute, isRetired } from '#models/providers/routing/route';
import type { Catalog } from '../catalog';
import type { AnyModel, TextModel } from '../catalog-models';
import { NAME_TAKEN, whyNotIn } from '../listed/listed-models';
import { type Choice, isShowable } from '../listed/listed-names';
import type { OfferedModel } from '../listed/offered-model';
import { makersIdOf } from '../listed/release-names';
import type { VendorList } from '../listed/vendor-list.entity';
import { sellsBelowCost } from '../below-cost';
import type { OffSwitch } from '../off-switch.entity';
import { chatMarkup } from '../chat-price-calculator';
import type { PriceRules } from '../prices.settings';
import {
  type RateTexts,
  type TextRates,
  dearestAmong,
  markedPrices,
  namedRates,
  priceOfKind,
  rateWords,
  shownRateTexts,
  withSteps,
} from '../rates';
import { type KindPrices, TOKEN_KINDS, type TokenPrices, pricesAt } from '#models/providers/token-prices';
import { publicAudio, publicMedia } from '../public-models';
import { type ModelChoice, isSameRoute } from './model-choice';
import type { AdminHeldPrice, AdminModel, Prices } from './model-facts.dto';

export interface FactSources {
  readonly catalog: Catalog;
  readonly lists: readonly VendorList[];
  readonly patterns: Choice;
  readonly off: readonly OffSwitch[];
  readonly choices: ReadonlyMap<string, ModelChoice>;
  readonly price: PriceRules;
}

const texts = (prices: ReadonlyMap<string, Micro>): Prices =>
  Object.fromEntries([...prices].map(([name, price]) => [name, usdText(price)]));

/** A picture has the cost of a picture, also if its vendor bills the tokens. */
const shownRoute = ({
  provider,
  model,
  prices,
  costs,
}: Pick<ProviderRoute, 'provider' | 'model' | 'prices' | 'costs'>) =>
  withoutAbsent({
    provider,
    model,
    cost:
      ifPresent(costs, texts) ?? ifPresent(prices, (known) => namedRates(shownRateTexts(known)) as Prices),
  });

const usdOfMicro = (micro: number): string => usdText(BigInt(micro) as Micro);

const pricesOf = (
  model: AnyModel,
  rules: PriceRules,
): Pick<AdminModel, 'kind' | 'unit' | 'cost' | 'price' | 'chatPrice'> => {
  if ('rates' in model) {
    const { markup: _, ...costs } = model.rates;
    const { input, output, above } = model.rates;
    const chatRates = {
      input,
      output,
      ...ifPresent(above, (steps) => ({
        above: steps.map(({ tokens, prices }) => ({
          tokens,
          prices: { input: prices.input, output: prices.output },
        })),
      })),
    };
    return {
      kind: 'text',
      unit: 'million tokens',
      cost: namedRates(shownRateTexts(costs)) as Prices,
      price: shownPrices(model.rates),
      chatPrice: shownPrices({ ...chatRates, markup: chatMarkup(rules, model.rates) }),
    };
  }
  if ('unitCost' in model) {
    const { unit, priceMicro } = publicAudio(model, rules).pricing;
    return {
      kind: 'audio',
      unit: unit.replace('_', ' '),
      cost: { default: usdText(model.unitCost) },
      price: { default: usdOfMicro(priceMicro) },
    };
  }
  const { unit, priceMicro } = publicMedia(model, rules).pricing;
  return {
    kind: 'media',
    unit,
    cost: texts(model.costs),
    price: Object.fromEntries(Object.entries(priceMicro).map(([tier, each]) => [tier, usdOfMicro(each)])),
  };
};

/** The vendors' prices of a text model, if all are known: an own price of the operator is not the cost. */
const costsOf = (model: AnyModel, routes: readonly ProviderRoute[]): TokenPrices | undefined => {
  if (!('rates' in model)) return undefined;
  const prices = routes.flatMap((route) => route.prices ?? []);
  return prices.length === 0 || prices.length < routes.length ? undefined : dearestAmong(prices);
};

const shownPrices = (rates: TextRates): Prices => namedRates(shownRateTexts(markedPrices(rates))) as Prices;

/** The kinds of tokens whose price rises, such as `input from $1.25 to $3.75`. */
export const risesText = (before: TokenPrices, after: TokenPrices): string | undefined => {
  const kinds = TOKEN_KINDS.filter((kind) => before[kind] !== undefined || after[kind] !== undefined);
  const [from, to] = [before, after].map((prices) =>
    shownRateTexts(
      withSteps([prices], (tokens) => {
        const at = pricesAt(prices, tokens);
        return Object.fromEntries(
          kinds.map((kind) => [kind, priceOfKind(at, kind)]),
        ) as unknown as KindPrices;
      }),
    ),
  ) as [RateTexts, RateTexts];
  const starts = [0, ...[before, after].flatMap(({ above = [] }) => above.map(({ tokens }) => tokens + 1))];
  const rises = kinds.filter((kind) =>
    starts.some(
      (tokens) => priceOfKind(pricesAt(after, tokens), kind) > priceOfKind(pricesAt(before, tokens), kind),
    ),
  );
  return rises.length === 0
    ? undefined
    : rises.map((kind) => `${kind} from ${rateWords(from[kind]!)} to ${rateWords(to[kind]!)}`).join('; ');
};

/** The cost of a medium of the book includes the tokens of its prompt. */
const withWholeCost = (model: AnyModel, route: ProviderRoute): ProviderRoute =>
  'costs' in model && model.isListed === true ? { ...route, costs: model.costs } : route;

/** The routes of a model. Vendors with the same cost raise its price together. */
const routesOf = (model: AnyModel, catalog: Catalog): AdminModel['routes'] => {
  const used = catalog.routesOf(model.id);
  const raises = (route: ProviderRoute): string | undefined => {
    if (!('offers' in model) || used.length < 2) return undefined;
    const equal = used.filter(({ prices }) => isDeepStrictEqual(prices, route.prices));
    const without = catalog.ratesWithout(model.id, equal);
    return without === undefined ? undefined : risesText(markedPrices(without), markedPrices(model.rates));
  };
  const others = (catalog.usual(model.id)?.routes ?? []).filter(
    (route) => !used.some((each) => isSameRoute(each, route)),
  );
  return [
    ...used.map((route) =>
      withoutAbsent({
        ...shownRoute(withWholeCost(model, route)),
        isGone: catalog.isGone(model, route) || undefined,
        raisesPrice: raises(route),
      }),
    ),
    ...others.map((route) => ({ ...shownRoute(route), isLeftOut: true })),
  ];
};

const whyOff = (model: AnyModel, off: readonly OffSwitch[], catalog: Catalog): string | undefined => {
  const names = [model.id, catalog.makersIdOf(model.id)];
  const found = off.find(({ kind, name }) => kind === 'model' && names.includes(name));
  if (found !== undefined)
    return `an operator switched ${found.name === model.id ? 'it' : found.name} off${ifPresent(found.reason, (text) => `: ${text}`) ?? ''}`;
  if (isRetired(model, Date.now())) return `it retired on ${model.retiresOn}`;
  const gone = catalog.whyGone(model);
  if (gone !== undefined) return gone;
  if (model.routes.length > 0) return undefined;
  if (model.leftOut !== undefined) return `left out by ${model.leftOut}`;
  return catalog.routesOf(model.id).length === 0
    ? 'an operator left its vendors out'
    : 'an operator switched its providers off';
};

const shownChanges = ({ rates, ...changes }: ModelChoice): AdminModel['changes'] =>
  withoutAbsent({ ...changes, rates: ifPresent(rates, (own) => namedRates(own) as Prices) });

const heldOf = (vendor: string, { id, held }: OfferedModel): readonly AdminHeldPrice[] =>
  held === undefined ? [] : [{ vendor, model: id, rates: namedRates(held) as Prices }];

const RELEASE_UNKNOWN =
  'other vendors have several releases of it, and its name does not say which one this is';

const unsold = (vendor: string, model: OfferedModel, why: string): AdminModel =>
  withoutAbsent({
    id: makersIdOf(model),
    name: isShowable(model.name ?? '') ? model.name! : makersIdOf(model),
    kind: kindOfName(model.id),
    vendor,
    isListed: true,
    forSale: false,
    why,
    switchedOff: false,
    unit: kindOfName(model.id) === 'text' ? 'million tokens' : 'result',
    cost: ifPresent(model.rates ?? model.lastRates, (rates) => namedRates(rates) as Prices),
    held: heldOf(vendor, model),
    agreed: [],
    routes: [{ provider: vendor, model: model.id }],
    private: false,
    adultsOnly: false,
    changes: {},
  });

/** Only the aliases that lead to the model. Others are ids, or aliases of an earlier model. */
export const aliasesOf = (
  { id, aliases = [] }: Pick<TextModel, 'id' | 'aliases'>,
  catalog: Catalog,
): readonly string[] | undefined => {
  const own = aliases.filter((alias) => catalog.idOf(alias) === id);
  return own.length === 0 ? undefined : own;
};

/** The models that these settings can sell, then those that vendors list and that are not for sale. */
export const modelFacts = ({
  catalog,
  lists,
  patterns,
  off,
  choices,
  price,
}: FactSources): readonly AdminModel[] => {
  const { media, text, audio } = catalog.all;
  const held = new Map<string, AdminHeldPrice[]>();
  const others: AdminModel[] = [];
  const whyNot = whyNotIn(patterns);
  const agreed = lists.flatMap(({ vendor, agreed: prices = [] }) =>
    prices.map(({ model, rates }) => ({
      id: catalog.idOf(makersIdOf(model)),
      price: { vendor, model: model.id, rates: namedRates(rates) as Prices },
    })),
  );
  for (const { vendor, models } of lists) {
    for (const model of models) {
      const id = catalog.idOf(makersIdOf(model));
      const found = text.get(id);
      const isRoute = catalog.usual(id)?.routes.some(({ provider }) => provider === vendor) === true;
      // Media of the vendor have lines of their own.
      if (isRoute && (media.get(id) ?? audio.get(id))?.isListed === true) continue;
      const why =
        whyNot(vendor, model) ??
        (found?.isListed !== true ? NAME_TAKEN : isRoute ? undefined : RELEASE_UNKNOWN);
      if (why === undefined) held.set(id, [...(held.get(id) ?? []), ...heldOf(vendor, model)]);
      // A retired model is still in the catalog, which names its day.
      else if ((model.goneOn === undefined && model.hasRetired !== true) || !text.has(id))
        others.push(unsold(vendor, model, why));
    }
  }
  const sold = [...media.values(), ...text.values(), ...audio.values()].map((model): AdminModel => {
    const routes = catalog.routesOf(model.id);
    const why = whyOff(model, off, catalog);
    const prices = pricesOf(model, price);
    const costs = costsOf(model, routes);
    return withoutAbsent({
      id: model.id,
      name: model.name,
      aliases: aliasesOf(model, catalog),
      ...prices,
      cost: costs === undefined ? prices.cost : (namedRates(shownRateTexts(costs)) as Prices),
      isBelowCost: sellsBelowCost(model, routes) || undefined,
      vendor: routes[0]?.provider ?? '',
      isListed: model.isListed === true,
      forSale: why === undefined,
      why,
      switchedOff: off.some(({ kind, name }) => kind === 'model' && name === model.id),
      held: held.get(model.id) ?? [],
      agreed: agreed.filter(({ id }) => id === model.id).map(({ price: each }) => each),
      routes: routesOf(model, catalog),
      private: 'private' in model && model.private === true,
      adultsOnly: model.adultsOnly === true,
      changes: shownChanges(choices.get(model.id) ?? {}),
    });
  });
  return [...sold, ...others];
};
