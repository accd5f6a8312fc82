import { TOKEN_KINDS, type TokenKind } from '#models/providers/token-prices';
import type { ProviderRoute } from '#models/providers/routing/route';
import type { AnyModel, Catalog, TextModel } from './catalog';
import { dearestAmong, isWithin, markedPrices } from './rates';

/** The kinds of tokens in calls to a model. No call has sound. */
const kindsOf = ({ vision }: TextModel): readonly TokenKind[] =>
  TOKEN_KINDS.filter((kind) => !kind.endsWith('Audio') && (kind !== 'inputImage' || vision === true));

/** Whether any token of a text sells for less than it costs at one of these routes. A route without prices is not compared. */
export const sellsBelowCost = (model: AnyModel, routes: readonly ProviderRoute[]): boolean => {
  const prices = routes.flatMap((route) => route.prices ?? []);
  if (!('rates' in model) || prices.length === 0) return false;
  return !isWithin(dearestAmong(prices), markedPrices(model.rates), kindsOf(model));
};

/** The ids of the models for sale that sell below their cost. */
export const idsBelowCost = ({ text }: Catalog): readonly string[] =>
  [...text.values()].filter((model) => sellsBelowCost(model, model.routes)).map(({ id }) => id);
