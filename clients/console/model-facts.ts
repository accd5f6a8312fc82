import { type Schemas, call } from './api.ts';
import { money } from './format.ts';
import { type MediaModel, modeName } from './media-options.tsx';

export type Catalog = Schemas['ModelsAnswer'];
export type TextModel = Catalog['textModels'][number];
export type Health = Schemas['ModelHealth'];
export type Status = Schemas['StatusAnswer'];

/** A model of either kind, with its results of the last 30 days. */
export interface ListedModel {
  readonly id: string;
  readonly name: string;
  readonly kind: 'text' | 'image' | 'video';
  readonly makes: string;
  readonly media: MediaModel | undefined;
  readonly text: TextModel | undefined;
  /** The lowest price, for sorting. Prices of different kinds have different units. */
  readonly price: number;
  readonly priceText: string;
  readonly health: Health | undefined;
}

const traitsOf = ({ reasoning, vision, openWeights }: TextModel): string =>
  [
    'text',
    ...(reasoning === true ? ['reasons'] : []),
    ...(vision === true ? ['reads images'] : []),
    ...(openWeights === true ? ['open weights'] : []),
  ].join(', ');

const usd = (text: string): string => money(Math.round(Number(text) * 1e6));

/** All models of the catalog. */
export const listOf = (catalog: Catalog, status: Status | undefined): readonly ListedModel[] => {
  const healthOf = (id: string): Health | undefined => status?.models.find(({ modelId }) => modelId === id);
  return [
    ...catalog.models.map((model): ListedModel => {
      const price = Math.min(...Object.values(model.pricing.priceMicro));
      const isImage = model.pricing.unit === 'image';
      return {
        id: model.id,
        name: model.name,
        kind: isImage ? 'image' : 'video',
        makes: `${modeName(model.mode)}${model.audio ? ', with sound' : ''}`,
        media: model,
        text: undefined,
        price,
        priceText: `${money(price)} a${isImage ? 'n image' : ' second'}`,
        health: healthOf(model.id),
      };
    }),
    ...catalog.textModels.map((model): ListedModel => ({
      id: model.id,
      name: model.name,
      kind: 'text',
      makes: traitsOf(model),
      media: undefined,
      text: model,
      price: Number(model.chatInputUsdPerMtok) + Number(model.chatOutputUsdPerMtok),
      priceText: `${usd(model.chatInputUsdPerMtok)} in, ${usd(model.chatOutputUsdPerMtok)} out`,
      health: healthOf(model.id),
    })),
  ];
};

/**
 * The catalog with the status of the last 30 days. If the status can't be loaded, the pages show the models without it.
 */
export const loadModels = async (
  signal: AbortSignal,
): Promise<{
  readonly catalog: Catalog;
  readonly models: readonly ListedModel[];
  readonly status: Status | undefined;
}> => {
  const [catalog, status] = await Promise.all([
    call('get', '/v1/agent/models', { signal }),
    call('get', '/v1/agent/status', { query: { window: '30d' }, signal }).catch(() => undefined),
  ]);
  return { catalog, models: listOf(catalog, status), status };
};

export const percent = (rate: number): string => `${(Math.floor(rate * 1_000) / 10).toLocaleString('en')} %`;

export const seconds = (value: number | null | undefined): string =>
  value === null || value === undefined ? '–' : `${value < 10 ? value.toFixed(2) : value.toFixed(0)} s`;
