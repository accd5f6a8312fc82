import type { Catalog } from '#models/catalog/catalog';
import type { PriceRules } from '#models/catalog/prices.settings';
import { publicAudio, publicMedia, publicText } from '#models/catalog/public-models';
import { withoutAbsent } from '#kernel/present';
import { isRetired } from '#models/providers/routing/route';

/** Owners who used a model within this many days are informed of its changes. */
export const USED_DAYS = 30;

/** The facts of a model whose change owners want to know. */
export interface AnnouncedFacts {
  /** Absent if its price took it off sale. Owners then see the last one. */
  readonly price?: object;
  readonly forSale?: false;
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
 * The models that can be sold, those that retired, and those that their price took off sale. A model that an operator
 * switched off is in none of them, because it did not change.
 */
export const modelsNow = ({ all, heldBack }: Catalog, rules: PriceRules): readonly AnnouncedModelNow[] => {
  const now = Date.now();
  const held = heldBack.map((shown) => ({ id: shown.id, facts: { forSale: false } as const, shown }));
  const priced = [
    ...[...all.media.values()].map((model) => [model, publicMedia(model, rules).pricing] as const),
    ...[...all.text.values()].map((model) => [model, textPrice(publicText(model, rules))] as const),
    ...[...all.audio.values()].map((model) => [model, publicAudio(model, rules).pricing] as const),
  ];
  const sold = priced.flatMap(([model, price]): readonly AnnouncedModelNow[] => {
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
  return [...sold, ...held];
};
