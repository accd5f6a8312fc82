import { getOrMake } from '#kernel/maps';
import type { ListedModel } from '#models/providers/models/listed-model';
import { type KindPrices, TOKEN_KINDS, type TokenPrices } from '#models/providers/token-prices';
import { bookPrice } from '../book/price-book';
import { type RateTexts, priceOfKind, pricesIn } from '../rates';
import { baseOf, makersIdOf } from './release-names';

/** A price that changes by more than this factor is probably a mistake. */
const CHANGE_MAX = 10n;

/** The base and the steps. */
export const allOf = (prices: TokenPrices): readonly KindPrices[] => [
  prices,
  ...(prices.above ?? []).map((step) => step.prices),
];

type Change = 'fell' | 'rose' | undefined;

/** Whether any price of a kind changed too much, at any step. A kind that had no price of its own cost as much as its default. */
export const changeOf = (before: TokenPrices, now: TokenPrices): Change => {
  const [old, fresh] = [allOf(before), allOf(now)];
  const pairs = TOKEN_KINDS.flatMap((kind) =>
    fresh.flatMap((prices, at) => {
      const [last, next] = [old[Math.min(at, old.length - 1)] ?? before, prices[kind]];
      return next === undefined ? [] : [{ last: last[kind], usual: priceOfKind(last, kind), next }];
    }),
  );
  if (pairs.some(({ usual, next }) => next > usual * CHANGE_MAX)) return 'rose';
  const fell = pairs.some(({ last, next }) => last !== undefined && next * CHANGE_MAX < last);
  return fell ? 'fell' : undefined;
};

/** The vendors that already sell each model, with their prices. */
export type Rivals = ReadonlyMap<string, readonly { readonly vendor: string; readonly rates: RateTexts }[]>;

/** A vendor's stored list, as far as its prices matter to others. */
export interface StoredList {
  readonly vendor: string;
  readonly models: readonly (Pick<ListedModel, 'id' | 'makersId'> & {
    readonly rates?: RateTexts;
    readonly goneOn?: string;
  })[];
}

export const rivalsIn = (lists: readonly StoredList[]): Rivals => {
  const rivals = new Map<string, { readonly vendor: string; readonly rates: RateTexts }[]>();
  for (const { vendor, models } of lists) {
    for (const model of models) {
      if (model.rates === undefined || model.goneOn !== undefined) continue;
      getOrMake(rivals, baseOf(model), () => []).push({ vendor, rates: model.rates });
    }
  }
  return rivals;
};

export const FAR = { rose: 'above ten times', fell: 'below a tenth of' } as const;

/**
 * Compares a new offer with the other sellers of its model, and with the book, because all its callers pay the dearest
 * price. Says how far its price is from that of one of them.
 */
export const farFromOthers = (
  model: ListedModel,
  prices: TokenPrices,
  rivals: Rivals,
  now: Date,
): string | undefined => {
  const book = bookPrice({}, makersIdOf(model), now);
  const others = [
    ...(rivals.get(baseOf(model)) ?? []).map(({ vendor, rates }) => [vendor, pricesIn(rates)] as const),
    ...('prices' in book ? [['the book', book.prices] as const] : []),
  ];
  for (const [seller, theirs] of others) {
    const change = changeOf(theirs, prices);
    if (change !== undefined) return `${FAR[change]} that of ${seller}`;
  }
  return undefined;
};
