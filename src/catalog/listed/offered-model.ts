import { withoutAbsent } from '../../kernel/present';
import type { ListedModel } from '../../providers/models/listed-model';
import { type KindPrices, TOKEN_KINDS, type TokenPrices } from '../../providers/token-prices';
import { type BookPrice, type Seller, bookPrice } from '../book/price-book';
import { type RateTexts, pricesIn, rateTextsOf } from '../rates';

/** A model of a vendor's list, as the database stores it. Without `rates` it is not for sale, and `why` says why. */
export interface OfferedModel extends Omit<ListedModel, 'prices'> {
  /** The vendor's prices at which the model is sold. */
  readonly rates?: RateTexts;
  /** The prices at which it was sold, if it is no longer for sale. */
  readonly lastRates?: RateTexts;
  /** Prices that are too far from the present ones, until an operator agrees to them. */
  readonly held?: RateTexts;
  /** The day (UTC) on which the model was no longer in the list. */
  readonly goneOn?: string;
}

/** A price that changes by more than this factor is probably a mistake. */
const CHANGE_MAX = 10n;
/** The most that a million tokens cost: a price above it is a mistake, or one of another unit. */
const PRICE_MAX = 1_000_000_000_000n;
/** A model that left the list is shown as retired for so long. */
const GONE_DAYS = 90;
const DAY_MS = 86_400_000;

/** The base and the steps. */
const allOf = (prices: TokenPrices): readonly KindPrices[] => [
  prices,
  ...(prices.above ?? []).map((step) => step.prices),
];

type Change = 'fell' | 'rose' | undefined;

/** Whether any price of a kind changed too much, at any step. */
const changeOf = (before: TokenPrices, now: TokenPrices): Change => {
  const [old, fresh] = [allOf(before), allOf(now)];
  const pairs = TOKEN_KINDS.flatMap((kind) =>
    fresh.flatMap((prices, at) => {
      const [last, next] = [old[Math.min(at, old.length - 1)]?.[kind], prices[kind]];
      return last === undefined || next === undefined ? [] : [{ last, next }];
    }),
  );
  if (pairs.some(({ last, next }) => next > last * CHANGE_MAX)) return 'rose';
  return pairs.some(({ last, next }) => next * CHANGE_MAX < last) ? 'fell' : undefined;
};

/** The price in the vendor's own list, else the book's. */
const priceOf = (seller: Seller, { id, prices }: ListedModel, now: Date): BookPrice => {
  if (prices === undefined) return bookPrice(seller, id, now);
  const all = allOf(prices);
  if (all.some(({ input, output }) => input === 0n || output === 0n))
    return { why: 'its price in the list of the vendor is 0' };
  const isTooDear = all.some((each) => TOKEN_KINDS.some((kind) => (each[kind] ?? 0n) > PRICE_MAX));
  return isTooDear ? { why: 'its price in the list of the vendor is above $1,000,000' } : { prices };
};

const offered = (
  seller: Seller,
  { prices: _, ...listed }: ListedModel,
  price: BookPrice,
  before: OfferedModel | undefined,
): OfferedModel => {
  const last = before?.rates ?? before?.lastRates;
  if ('why' in price) return withoutAbsent({ ...listed, lastRates: last, why: price.why });
  const rates = rateTextsOf(price.prices);
  const known = withoutAbsent({
    ...listed,
    name: listed.name ?? price.name,
    contextTokens: listed.contextTokens ?? price.contextTokens,
  });
  const change = last === undefined ? undefined : changeOf(pricesIn(last), price.prices);
  if (change === 'fell') return { ...known, rates: last, held: rates };
  // The old price would sell below cost.
  if (change === 'rose')
    return {
      ...known,
      lastRates: last,
      held: rates,
      why: 'its price rose more than ten times; an operator must agree to it',
    };
  return { ...known, rates };
};

/**
 * A vendor's list with a price or a reason for each model. Models of the list before that are missing now are gone. The
 * result depends only on the two lists, the book and the day, so each process stores the same.
 */
export const offeredModels = (
  seller: Seller,
  listed: readonly ListedModel[],
  before: readonly OfferedModel[],
  now: Date,
): readonly OfferedModel[] => {
  const known = new Map(before.map((model) => [model.id, model]));
  const ids = new Set(listed.map(({ id }) => id));
  const today = now.toISOString().slice(0, 10);
  const kept = new Date(now.getTime() - GONE_DAYS * DAY_MS).toISOString().slice(0, 10);
  return [
    ...listed.map((model) =>
      model.why === undefined
        ? offered(seller, model, priceOf(seller, model, now), known.get(model.id))
        : withoutAbsent({ ...model, prices: undefined }),
    ),
    ...before
      .filter(({ id, rates, goneOn = today }) => !ids.has(id) && rates !== undefined && goneOn >= kept)
      .map((model) => ({ ...model, goneOn: model.goneOn ?? today })),
  ].sort((a, b) => (a.id < b.id ? -1 : 1));
};
