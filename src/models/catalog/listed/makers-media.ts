import { type Micro, micro, parseUsd, usdText } from '#kernel/money';
import type { ListedModel } from '#models/providers/models/listed-model';
import { NOT_TEXT } from '#models/providers/models/sellable-models';
import { isRetired } from '#models/providers/routing/route';
import { providersOn, servedBy } from '#models/providers/vendors';
import { groupBy } from '#kernel/maps';
import type { CommonSettings } from '#platform/config/settings';
import { MEDIA_PRICES, type MakesMedia, type MediaPrice, mediaPriceOf } from '../book/media-book';
import type { AudioEntry, CatalogFile, MediaEntry } from '../catalog-entries';
import { type AudioModel, type MediaModel, audioModels, mediaModels } from '../catalog-models';
import type { PriceSettings } from '../prices.settings';
import { endOf } from './from-picture';
import { type Choice, leftOutBy } from './listed-names';
import type { OfferedModel } from './offered-model';
import type { VendorList } from './vendor-list.entity';

const NO_PRICE = `${NOT_TEXT}, and the book has no price of media for it`;
const DEFAULT = 'default';
const PREVIEW = /-preview(?=\/|$)/;

/** The cost of each size at the maker. Undefined if the book lacks one. */
const costsOf = (
  { vendor, model }: MediaPrice,
  { resolutions = [], imageSizes = [], qualities: [usual, ...others] = [] }: MakesMedia,
): readonly (readonly [tier: string, cost: Micro])[] | undefined => {
  const sizes = [...resolutions, ...imageSizes];
  const tiers = [usual, ...others].flatMap((quality) =>
    (sizes.length === 0 ? [DEFAULT] : sizes).map((tier) => ({ tier, quality })),
  );
  const costs = tiers.flatMap(({ tier, quality }) => {
    const cost = mediaPriceOf(vendor, model, { tier, quality });
    return cost === undefined ? [] : [[quality === usual ? tier : `${quality} ${tier}`, cost] as const];
  });
  return costs.length === tiers.length ? costs : undefined;
};

/** The first size is the default of a call. */
const usdOf = (
  costs: readonly (readonly [tier: string, cost: Micro])[],
  beside = micro(0n),
): { readonly default: string; readonly [tier: string]: string } => {
  const texts = costs.map(([tier, cost]) => [tier, usdText(micro(cost + beside))] as const);
  return { default: texts[0]?.[1] ?? '', ...Object.fromEntries(texts) };
};

/**
 * A model of the book as an entry of a file. Its cost covers all that the maker may bill. The route of a maker that counts
 * tokens has the cost of the result alone. The service compares the tokens of each prompt with the price.
 */
const mediaEntryOf = (book: MediaPrice, makes: MakesMedia, isFirst: boolean): MediaEntry | undefined => {
  const costs = costsOf(book, makes);
  if (costs === undefined) return undefined;
  const { besideUsd = '0', ...shape } = makes;
  const { vendor: provider, model, name = model, tokens } = book;
  const usd = usdOf(costs, parseUsd(besideUsd));
  return {
    id: isFirst ? model : `${model}/${endOf(shape.mode)}`,
    name: isFirst ? name : `${name} (${endOf(shape.mode)})`,
    aspectRatios: [],
    resolutions: [],
    imageSizes: [],
    durations: [],
    ...shape,
    pricing: { unit: book.unit === 'second' ? 'second' : 'image', usd },
    routes: [
      tokens === undefined
        ? { provider, model, costUsd: usd }
        : { provider, model, costUsd: usdOf(costs), tokensUsd: tokens },
    ],
  };
};

const audioEntryOf = ({ vendor, model, name = model, usd, makes = [] }: MediaPrice): AudioEntry[] => {
  const { default: cost = '' } = usd;
  return makes.flatMap((each) =>
    'kind' in each
      ? {
          id: model,
          name,
          ...each,
          ...(each.kind === 'speech' ? { usdPerMchar: cost } : { usdPerHour: cost }),
          routes: [{ provider: vendor, model, costUsd: { default: cost } }],
        }
      : [],
  );
};

/** The models of makers that the book prices, as a file would have them. */
export const MAKERS_FILE: CatalogFile = {
  media: MEDIA_PRICES.flatMap((book) =>
    (book.makes ?? []).flatMap((makes, at) =>
      'mode' in makes ? (mediaEntryOf(book, makes, at === 0) ?? []) : [],
    ),
  ),
  text: [],
  audio: MEDIA_PRICES.flatMap(audioEntryOf),
};

const NAMES: ReadonlySet<string> = new Set(
  [...MAKERS_FILE.media, ...(MAKERS_FILE.audio ?? [])].flatMap(({ routes }) =>
    routes.map(({ provider, model }) => `${provider}/${model}`),
  ),
);

const MAKERS: ReadonlySet<string> = new Set(MEDIA_PRICES.map(({ vendor }) => vendor));

/** Marks the models of a list with which the service makes media or sound, and says why not with others. */
export const withMedia = <Model extends Pick<ListedModel, 'id' | 'isMedia' | 'why'>>(
  vendor: string,
  listed: readonly Model[],
): readonly Model[] =>
  listed.map((model) => {
    if (NAMES.has(`${vendor}/${model.id}`)) return { ...model, isMedia: true };
    return model.why === NOT_TEXT && MAKERS.has(vendor) ? { ...model, why: NO_PRICE } : model;
  });

export interface MakersModels {
  readonly media: readonly MediaModel[];
  readonly audio: readonly AudioModel[];
}

/** The models of the vendors that are switched on, with the price of the book. */
export const makersModelsOf = (settings: CommonSettings & PriceSettings): MakersModels => {
  const [on, served] = [providersOn(settings), servedBy(settings)];
  const sale = { isListed: true, markup: settings.price.bookMarkup };
  return {
    media: mediaModels(MAKERS_FILE, on, served).map((model) => ({ ...model, ...sale })),
    audio: audioModels(MAKERS_FILE, on, served).map((model) => ({ ...model, ...sale })),
  };
};

type Row = Pick<OfferedModel, 'id' | 'goneOn' | 'retiresOn' | 'replacedBy'>;

const rowsIn = (lists: readonly VendorList[]): ReadonlyMap<string, Row> =>
  new Map(lists.flatMap(({ vendor, models }) => models.map((row) => [`${vendor}/${row.id}`, row] as const)));

/**
 * The models that the vendors have now. A vendor without a list has all of them. A model that left the list is retired.
 * One that the operator leaves out keeps its price, because a repeated paid call must be the same call.
 */
export const presentMedia = (
  { media, audio }: MakersModels,
  lists: readonly VendorList[],
  listers: ReadonlySet<string>,
  choice: Choice,
): MakersModels => {
  const rows = rowsIn(lists);
  const leftOut = leftOutBy(choice);
  const present = <Model extends MediaModel | AudioModel>(models: readonly Model[]): Model[] =>
    models.flatMap((model) => {
      const [route] = model.routes;
      if (route === undefined) return [];
      const row = rows.get(`${route.provider}/${route.model}`);
      if (row === undefined && listers.has(route.provider)) return [];
      return {
        ...model,
        leftOut: leftOut(route.provider, row ?? { id: route.model }),
        retiresOn: row?.goneOn ?? row?.retiresOn,
        replacedBy: row?.replacedBy,
      };
    });
  return withReplacements({ media: present(media), audio: present(audio) });
};

/** Only models for sale replace others. A preview ends when its maker has the final model. */
const withReplacements = ({ media, audio }: MakersModels): MakersModels => {
  const now = Date.now();
  const ids = new Set([...media, ...audio].filter((model) => !isRetired(model, now)).map(({ id }) => id));
  const kept = <Model extends MediaModel | AudioModel>(model: Model): Model => {
    if (model.retiresOn === undefined) return model;
    const newer = [model.replacedBy ?? '', model.id.replace(PREVIEW, '')];
    return { ...model, replacedBy: newer.find((id) => id !== model.id && ids.has(id)) };
  };
  return { media: media.map(kept), audio: audio.map(kept) };
};

/** The names at vendors without a list, for the operator's patterns. */
export const unlistedNames = (
  { media, audio }: MakersModels,
  listers: ReadonlySet<string>,
): readonly { readonly vendor: string; readonly models: readonly { readonly id: string }[] }[] => {
  const routes = [...media, ...audio].flatMap((model) => model.routes);
  return [...groupBy(routes, ({ provider }) => provider)]
    .filter(([vendor]) => !listers.has(vendor))
    .map(([vendor, all]) => ({
      vendor,
      models: [...new Set(all.map(({ model }) => model))].map((id) => ({ id })),
    }));
};

/** How many models of each vendor without a list are for sale. */
export const bookSummaries = (
  makers: MakersModels,
  listers: ReadonlySet<string>,
  choice: Choice,
): readonly string[] => {
  const leftOut = leftOutBy(choice);
  return unlistedNames(makers, listers).map(({ vendor, models }) => {
    const unsold = models.filter((model) => leftOut(vendor, model) !== undefined).length;
    const why = unsold === 0 ? '' : `; CATALOG_ONLY or CATALOG_WITHOUT leaves ${unsold} out`;
    return `${vendor}: ${models.length - unsold} of ${models.length} models of the book for sale${why}`;
  });
};
