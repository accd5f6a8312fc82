import type { Catalog } from '#models/catalog/catalog';
import type { MediaModel } from '#models/catalog/catalog-models';
import { NotCapable } from '#models/catalog/catalog.errors';
import { type OptionalInput, type OptionalInputs, optionalInputsIn } from '#models/providers/optional-inputs';

/** Whether a model fulfils an optional input. A number is the highest amount that it fulfils. */
const mostOf = ({ capabilities }: MediaModel, input: OptionalInput): number | boolean =>
  capabilities[input] ?? false;

const fulfils = (most: number | boolean, value: unknown): boolean =>
  typeof most === 'number' ? amountOf(value) <= most : most;

/** The number of pictures in a list, or the number itself. */
const amountOf = (value: unknown): number => (Array.isArray(value) ? value.length : Number(value));

/** Refuses an optional input that the model can't fulfil, and names the models of its mode that can. */
export const checkOptionalInputs = (
  catalog: Catalog,
  model: MediaModel,
  call: OptionalInputs,
  modelParam = 'modelId',
): void => {
  for (const input of optionalInputsIn(call)) {
    const most = mostOf(model, input);
    if (fulfils(most, call[input])) continue;
    const capable = [...catalog.media.values()]
      .filter(({ mode }) => mode === model.mode)
      .filter((other) => fulfils(mostOf(other, input), call[input]))
      .map(({ id }) => id);
    throw new NotCapable(model.id, {
      param: input,
      modelParam,
      most: typeof most === 'number' ? most : undefined,
      capable,
    });
  }
};
