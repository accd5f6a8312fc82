import type { Schemas } from '../parts/api.ts';
import { money } from '../parts/format.ts';
import { type MediaModel, modeName } from './media-options.tsx';

export type Catalog = Schemas['ModelsAnswer'];
export type TextModel = Catalog['textModels'][number];
export type Health = Schemas['ModelHealth'];
export type Status = Schemas['StatusAnswer'];

interface Price {
  readonly micro: number;
  /** Such as `an image`, or `in` for tokens of the input. */
  readonly per: string;
  /** The lowest price of other options, if one is lower. */
  readonly fromMicro?: number | undefined;
}

/** A model of either kind, with its results of the last 30 days. */
export interface ListedModel {
  readonly id: string;
  readonly name: string;
  readonly kind: 'text' | 'image' | 'video';
  readonly makes: string;
  readonly isPrivate: boolean;
  readonly media: MediaModel | undefined;
  readonly text: TextModel | undefined;
  /** The price without options, for sorting. Prices of different kinds have different units. */
  readonly price: number;
  readonly prices: readonly Price[];
  readonly priceText: string;
  readonly health: Health | undefined;
}

/** The abilities of text models, by the name of a filter. */
export const TRAITS: Readonly<
  Record<string, { readonly text: string; readonly has: (model: TextModel) => boolean }>
> = {
  reasoning: { text: 'reasons', has: ({ reasoning }) => reasoning === true },
  image: { text: 'reads images', has: ({ inputs }) => inputs.includes('image') },
  tools: { text: 'calls tools', has: ({ tools }) => tools === true },
  cache: {
    text: 'cheaper cached input',
    has: ({ cacheReadUsdPerMtok, inputUsdPerMtok }) =>
      cacheReadUsdPerMtok !== undefined && exact(cacheReadUsdPerMtok) < exact(inputUsdPerMtok),
  },
  steps: { text: 'dearer long input', has: ({ above }) => above !== undefined },
  open: { text: 'open weights', has: ({ openWeights }) => openWeights === true },
};

const traitsOf = (model: TextModel): string =>
  ['text', ...Object.values(TRAITS).flatMap(({ text, has }) => (has(model) ? [text] : []))].join(', ');

const DECIMALS = 9;

/** A decimal rate as a whole number of its last decimal, because floats are not exact. */
export const exact = (rate: string): bigint => {
  const [whole = '0', part = ''] = rate.split('.');
  return BigInt(whole + part.slice(0, DECIMALS).padEnd(DECIMALS, '0'));
};

/** Rounded up, as in the terminal of the operator. */
export const microIn = (usd: string): number => Number((exact(usd) + 999n) / 1_000n);

const textOf = (prices: readonly Price[]): string =>
  prices
    .map(
      ({ micro, per, fromMicro }) =>
        `${money(micro)} ${per}${fromMicro === undefined ? '' : `, from ${money(fromMicro)} with other options`}`,
    )
    .join(', ');

/** The price of each combination of options that a call can have. The first one is that of a call without options. */
const pricesOf = ({ qualities, resolutions, imageSizes, pricing }: MediaModel): readonly number[] => {
  const orNone = (values: readonly string[] = []): readonly (string | undefined)[] =>
    values.length === 0 ? [undefined] : values;
  const priceOf = (quality: string | undefined, sizes: readonly string[]): number => {
    const better = quality === undefined ? [] : [...sizes.map((size) => `${quality} ${size}`), quality];
    const tier = [...better, ...sizes].find((each) => each in pricing.priceMicro);
    return pricing.priceMicro[tier ?? 'default'] ?? 0;
  };
  return orNone(qualities).flatMap((quality) =>
    orNone(resolutions).flatMap((resolution) =>
      orNone(imageSizes).map((imageSize) =>
        priceOf(
          quality,
          [resolution, imageSize].filter((size) => size !== undefined),
        ),
      ),
    ),
  );
};

/** All models of the catalog. */
export const listOf = (catalog: Catalog, status: Status | undefined): readonly ListedModel[] => {
  const measured = new Map(status?.models.map((health) => [health.modelId, health]));
  const healthOf = (id: string): Health | undefined => measured.get(id);
  return [
    ...catalog.models.map((model): ListedModel => {
      const all = pricesOf(model);
      const [price = 0] = all;
      const least = Math.min(...all);
      const isImage = model.pricing.unit === 'image';
      const prices = [
        {
          micro: price,
          per: isImage ? 'an image' : 'a second',
          fromMicro: least < price ? least : undefined,
        },
      ];
      return {
        id: model.id,
        name: model.name,
        kind: isImage ? 'image' : 'video',
        makes: `${modeName(model.mode)}${model.audio ? ', with sound' : ''}`,
        isPrivate: model.private === true,
        media: model,
        text: undefined,
        price,
        prices,
        priceText: textOf(prices),
        health: healthOf(model.id),
      };
    }),
    ...catalog.textModels.map((model): ListedModel => {
      const prices = [
        { micro: microIn(model.inputUsdPerMtok), per: 'in' },
        { micro: microIn(model.outputUsdPerMtok), per: 'out' },
      ];
      return {
        id: model.id,
        name: model.name,
        kind: 'text',
        makes: traitsOf(model),
        isPrivate: model.private === true,
        media: undefined,
        text: model,
        price: Number(model.inputUsdPerMtok) + Number(model.outputUsdPerMtok),
        prices,
        priceText: textOf(prices),
        health: healthOf(model.id),
      };
    }),
  ];
};
