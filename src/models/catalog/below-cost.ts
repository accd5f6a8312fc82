import { TOKEN_KINDS, type TokenKind } from '#models/providers/token-prices';
import type { ProviderRoute } from '#models/providers/routing/route';
import type { Catalog } from './catalog';
import type { AnyModel, TextModel } from './catalog-models';
import { dearestAmong, isWithin, markedPrices } from './rates';

/** The kinds of tokens in calls to a model. No call has sound. */
const kindsOf = ({ vision }: TextModel): readonly TokenKind[] =>
  TOKEN_KINDS.filter((kind) => !kind.endsWith('Audio') && (kind !== 'inputImage' || vision === true));

/**
 * Whether any token of a text sells for less than it costs at one of these routes, or a medium by its own markup. A route
 * without prices is not compared.
 */
export const sellsBelowCost = (model: AnyModel, routes: readonly ProviderRoute[]): boolean => {
  const prices = routes.flatMap((route) => route.prices ?? []);
  if ('markup' in model && model.markup !== undefined) return model.markup.times < model.markup.over;
  if (!('rates' in model) || prices.length === 0) return false;
  return !isWithin(dearestAmong(prices), markedPrices(model.rates), kindsOf(model));
};

/** The ids of the models for sale that sell below their cost. */
export const idsBelowCost = ({ media, text, audio }: Catalog): readonly string[] =>
  [...media.values(), ...text.values(), ...audio.values()]
    .filter((model) => sellsBelowCost(model, model.routes))
    .map(({ id }) => id);
