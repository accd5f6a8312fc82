import type { Catalog } from '#models/catalog/catalog';
import type { PriceRules } from '#models/catalog/prices.settings';
import { publicAudio, publicMedia, publicText } from '#models/catalog/public-models';
import { withoutAbsent } from '#kernel/present';
import { isRetired } from '#models/providers/routing/route';

/** The facts of a model whose change owners want to know. */
export interface AnnouncedFacts {
  readonly price: object;
  /** The day (UTC) on which it retired. */
  readonly retiredOn?: string;
}

/** A model of now, for events. */
export interface AnnouncedModelNow {
  readonly id: string;
  readonly facts: AnnouncedFacts;
  /** The fields of an event that do not change the facts. */
  readonly shown: { readonly id: string; readonly name: string; readonly replacedBy?: string };
}

/** The prices of a text model in its public form. */
const textPrice = (model: object): object =>
  Object.fromEntries(
    Object.entries(model).filter(([name]) => name.endsWith('UsdPerMtok') || name === 'above'),
  );

/**
 * The models that can be sold, and those that retired. A model that an operator switched off is in neither, because it
 * did not change.
 */
export const modelsNow = ({ all }: Catalog, rules: PriceRules): readonly AnnouncedModelNow[] => {
  const now = Date.now();
  const priced = [
    ...[...all.media.values()].map((model) => [model, publicMedia(model, rules).pricing] as const),
    ...[...all.text.values()].map((model) => [model, textPrice(publicText(model, rules))] as const),
    ...[...all.audio.values()].map((model) => [model, publicAudio(model, rules).pricing] as const),
  ];
  return priced.flatMap(([model, price]) => {
    const { id, name, replacedBy, retiresOn } = model;
    const hasRetired = isRetired(model, now);
    if (model.routes.length === 0 && !hasRetired) return [];
    return [
      {
        id,
        facts: withoutAbsent({ price, retiredOn: hasRetired ? retiresOn : undefined }),
        shown: withoutAbsent({ id, name, replacedBy }),
      },
    ];
  });
};
