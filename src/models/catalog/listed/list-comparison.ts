import { isDeepStrictEqual } from 'node:util';

import { withoutAbsent } from '#kernel/present';
import type { ListedModel } from '#models/providers/models/listed-model';
import { isRetired } from '#models/providers/routing/route';
import { TOKEN_KINDS } from '#models/providers/token-prices';
import { type BookPrice, type Seller, bookPrice } from '../book/price-book';
import { type RateTexts, pricesIn, rateTextsOf } from '../rates';
import { dayOf, leftOf } from './missing-models';
import type { OfferedModel } from './offered-model';
import { FAR, type Rivals, type StoredList, allOf, changeOf, farFromOthers, rivalsIn } from './price-change';

/** The most that a million tokens cost: a price above it is a mistake, or one of another unit. */
const PRICE_MAX = 1_000_000_000_000n;
/** The clocks of a process and of the database differ by less. */
const CLOCK_MS_MAX = 600_000;

/** The price in the vendor's own list, else the book's. */
const priceOf = (seller: Seller, { id, prices }: ListedModel, now: Date): BookPrice => {
  if (prices === undefined) return bookPrice(seller, id, now);
  const all = allOf(prices);
  if (all.some(({ input, output }) => input === 0n || output === 0n))
    return { why: 'its price in the list of the vendor is 0' };
  const isAboveMost = all.some((each) => TOKEN_KINDS.some((kind) => (each[kind] ?? 0n) > PRICE_MAX));
  return isAboveMost ? { why: 'its price in the list of the vendor is above $1,000,000' } : { prices };
};

const offered = (
  { prices: _, ...listed }: ListedModel,
  price: BookPrice,
  before: OfferedModel | undefined,
  rivals: Rivals,
  now: Date,
): OfferedModel => {
  const last = before?.rates ?? before?.lastRates;
  if ('why' in price) return withoutAbsent({ ...listed, lastRates: last, why: price.why });
  const rates = rateTextsOf(price.prices);
  const isHeldStill = isDeepStrictEqual(before?.held, rates);
  const held = { held: rates, heldAt: (isHeldStill ? before?.heldAt : undefined) ?? now.toISOString() };
  const known = withoutAbsent({
    ...listed,
    name: listed.name ?? price.name,
    contextTokens: listed.contextTokens ?? price.contextTokens,
  });
  const far = last === undefined ? farFromOthers(listed, price.prices, rivals, now) : undefined;
  if (far !== undefined)
    return { ...known, ...held, why: `its price is ${far}; an operator must agree to it` };
  const change = last === undefined ? undefined : changeOf(pricesIn(last), price.prices);
  if (change === 'fell') return { ...known, rates: last, ...held };
  // The old price would sell below cost.
  if (change === 'rose')
    return {
      ...known,
      lastRates: last,
      ...held,
      why: `its price is ${FAR.rose} the last one; an operator must agree to it`,
    };
  return { ...known, rates };
};

/**
 * A vendor's list with a price or a reason for each model. Models of the list before that are missing now are gone. A
 * new model is compared with the lists of the other vendors. The result depends only on the lists, the book and the time.
 */
export const offeredModels = (
  seller: Seller,
  listed: readonly ListedModel[],
  before: readonly OfferedModel[],
  now: Date,
  others: readonly StoredList[] = [],
): readonly OfferedModel[] => {
  const rivals = rivalsIn(others);
  const known = new Map(before.map((model) => [model.id, model]));
  const ids = new Set(listed.map(({ id }) => id));
  return [
    ...listed.map((model) => {
      const hasRetired = isRetired(model, now.getTime()) || undefined;
      if (model.isMedia === true) return withoutAbsent({ ...model, why: undefined, hasRetired });
      const price = model.why === undefined ? priceOf(seller, model, now) : { why: model.why };
      return withoutAbsent({ ...offered(model, price, known.get(model.id), rivals, now), hasRetired });
    }),
    ...leftOf(ids, before, now),
  ].sort((a, b) => (a.id < b.id ? -1 : 1));
};

/** An operator's agreements at a vendor: prices by the vendor's names, and a list without most of its models. */
export interface Agreements {
  readonly prices: ReadonlyMap<string, { readonly rates: RateTexts; readonly at: Date }>;
  readonly lossAt?: Date;
}

/** The models with the prices, and without the models, that an operator agreed to. */
export const withAgreements = (
  models: readonly OfferedModel[],
  { prices, lossAt }: Agreements,
): readonly OfferedModel[] =>
  models.map((model) => {
    const { held, heldAt = '', why: _why, lastRates: _last, missing, ...rest } = model;
    if (lossAt !== undefined && missing !== undefined && Date.parse(missing.at) <= lossAt.getTime())
      return withoutAbsent({ ...model, missing: undefined, goneOn: dayOf(lossAt) });
    const agreed = prices.get(model.id);
    const isForThis =
      agreed !== undefined &&
      isDeepStrictEqual(held, agreed.rates) &&
      !(agreed.at.getTime() < Date.parse(heldAt) - CLOCK_MS_MAX);
    return held !== undefined && isForThis ? withoutAbsent({ ...rest, missing, rates: held }) : model;
  });
