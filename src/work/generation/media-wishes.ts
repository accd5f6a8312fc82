import type { Catalog } from '#models/catalog/catalog';
import type { MediaModel } from '#models/catalog/catalog-models';
import { NotCapable } from '#models/catalog/catalog.errors';
import { type Wish, type Wished, wishesIn } from '#models/providers/wishes';

/** Whether a model fulfils a wish. A number is the highest amount that it fulfils. */
const mostOf = ({ capabilities }: MediaModel, wish: Wish): number | boolean => capabilities[wish] ?? false;

const fulfils = (most: number | boolean, value: unknown): boolean =>
  typeof most === 'number' ? amountOf(value) <= most : most;

/** The number of pictures in a list, or the number itself. */
const amountOf = (value: unknown): number => (Array.isArray(value) ? value.length : Number(value));

/** Refuses a wish that the model can't fulfil, and names the models of its mode that can. */
export const checkWishes = (
  catalog: Catalog,
  model: MediaModel,
  call: Wished,
  modelParam = 'modelId',
): void => {
  for (const wish of wishesIn(call)) {
    const most = mostOf(model, wish);
    if (fulfils(most, call[wish])) continue;
    const capable = [...catalog.media.values()]
      .filter(({ mode }) => mode === model.mode)
      .filter((other) => fulfils(mostOf(other, wish), call[wish]))
      .map(({ id }) => id);
    throw new NotCapable(model.id, {
      param: wish,
      modelParam,
      most: typeof most === 'number' ? most : undefined,
      capable,
    });
  }
};
