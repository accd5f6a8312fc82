import type { AppError } from '#kernel/app-error';
import { type Micro, micro, parseUsd } from '#kernel/money';
import { ifPresent } from '#kernel/present';
import type { SpeechFormat } from '#models/providers/audio-provider';
import type { MediaSize } from '#models/providers/media-provider';
import type { ProviderName } from '#models/providers/provider-name';
import type { ProviderRoute } from '#models/providers/routing/route';
import type { TokenKind } from '#models/providers/token-prices';
import { optionalInputsIn } from '#models/providers/optional-inputs';
import type {
  AudioEntry,
  CapabilitiesEntry,
  CatalogFile,
  MediaEntry,
  RouteEntry,
  TextEntry,
} from './catalog-entries';
import { type Served, takes } from './catalog-file';
import type { Offering } from './choices/model-choice';
import { type Ratio, ratioIn } from './prices.settings';
import { type RateText, type TextRates, pricesIn, ratesNamed } from './rates';

/** The facts of a model for sale that no entry of a file has. */
interface Sale {
  /** Whether the book of prices or the list of a vendor added the model to the catalog. */
  readonly isListed?: boolean;
  /** The setting that keeps the model from sale. */
  readonly leftOut?: string | undefined;
  readonly routes: readonly ProviderRoute[];
}

/** The price of such a model has this markup instead of the usual one, and no cap. */
interface OwnMarkup {
  readonly markup?: Ratio;
}

export interface MediaModel
  extends Omit<MediaEntry, 'pricing' | 'routes' | 'capabilities' | 'markup' | 'belowCost'>, Sale, OwnMarkup {
  /** The optional inputs that at least one active route passes on. */
  readonly capabilities: CapabilitiesEntry;
  readonly unit: 'image' | 'second';
  /** The provider's cost of one unit, by resolution or image size. `default` always exists. */
  readonly costs: ReadonlyMap<string, Micro>;
}

export interface TextModel
  extends Omit<TextEntry, 'routes' | 'markup' | 'belowCost' | `${TokenKind}UsdPerMtok`>, Sale {
  /** The model at each vendor, the cheapest first, if several have it. */
  readonly offers?: readonly Offering[];
  readonly rates: TextRates;
  /** Why no new call may have this release of the model, although the model is for sale. */
  readonly refusal?: AppError;
}

export interface AudioModel
  extends Omit<AudioEntry, 'routes' | 'voices' | 'formats' | 'markup' | 'belowCost'>, Sale, OwnMarkup {
  readonly voices: readonly string[];
  readonly formats: readonly SpeechFormat[];
  /** The provider's cost of a million characters, or of an hour. */
  readonly unitCost: Micro;
}

/** The names under which the list of each vendor has models. A vendor without a list is absent. */
export type VendorNames = ReadonlyMap<string, ReadonlySet<string>>;

export type AnyModel = MediaModel | TextModel | AudioModel;

const usd = (text: string): Micro => parseUsd(text) ?? micro(0n);

/** Only rates of text have steps, as the check of the file ensures. */
const pricesOf = (prices: Readonly<Record<string, RateText>>): ReadonlyMap<string, Micro> =>
  new Map(Object.entries(prices).map(([name, text]) => [name, usd(text as string)]));

const entriesOn = (routes: readonly RouteEntry[], on: ReadonlySet<ProviderName>): readonly RouteEntry[] =>
  routes.filter(({ provider }) => on.has(provider as ProviderName));

const routesOn = (routes: readonly RouteEntry[], on: ReadonlySet<ProviderName>): readonly ProviderRoute[] =>
  entriesOn(routes, on).map(({ costUsd, tokensUsd, releases: _, ...route }) => ({
    ...route,
    costs: ifPresent(costUsd, pricesOf),
    prices: ifPresent(tokensUsd, pricesIn),
  }));

const textRoutesOn = (
  routes: readonly RouteEntry[],
  on: ReadonlySet<ProviderName>,
): readonly ProviderRoute[] =>
  entriesOn(routes, on).map(({ costUsd, releases, ...route }) => ({
    ...route,
    prices: ifPresent(costUsd, pricesIn),
    ...ifPresent(releases, (names) => ({ releases: new Map(Object.entries(names)) })),
  }));

const sizesOf = ({ resolutions, aspectRatios, imageSizes }: MediaModel): readonly MediaSize[] => {
  const ratios = aspectRatios.length > 0 ? aspectRatios.map((aspectRatio) => ({ aspectRatio })) : [{}];
  const tiers = resolutions.length > 0 ? resolutions.map((resolution) => ({ resolution })) : [{}];
  return imageSizes.length > 0
    ? imageSizes.map((imageSize) => ({ imageSize }))
    : tiers.flatMap((tier) => ratios.map((ratio) => ({ ...tier, ...ratio })));
};

export const unmadeSizes = (model: MediaModel, served: Served): string[] => {
  const isMade = (size: MediaSize): boolean =>
    model.routes.some(
      ({ provider, model: name }) => served.get(provider)?.makes?.(model.mode, size, name) ?? true,
    );
  const unmade = sizesOf(model).filter((size) => !isMade(size));
  return unmade.length === 0
    ? []
    : [`${model.id} in ${unmade.map((size) => Object.values(size).join(' ')).join(', ')}`];
};

export const mediaModels = (file: CatalogFile, on: ReadonlySet<ProviderName>, served: Served): MediaModel[] =>
  file.media
    .map(({ pricing, routes, capabilities, markup, belowCost: _, ...entry }) => ({
      ...entry,
      ...ifPresent(markup, (text) => ({ markup: ratioIn(text) })),
      unit: pricing.unit,
      costs: pricesOf(pricing.usd),
      routes: routesOn(routes, on).map((route) => ({
        ...route,
        takes: takes(served, entry.mode, route.provider, route.model),
      })),
      capabilities: capabilities ?? {},
    }))
    .map((model) => ({ ...model, capabilities: takenOf(model) }))
    .filter((model) => model.routes.length > 0);

/** Only the optional inputs that at least one active route passes on. */
const takenOf = ({
  capabilities,
  routes,
}: Pick<MediaModel, 'capabilities' | 'routes'>): CapabilitiesEntry => {
  const taken = optionalInputsIn(capabilities).filter((input) =>
    routes.some((route) => route.takes?.includes(input)),
  );
  return Object.fromEntries(taken.map((input) => [input, capabilities[input]]));
};

export const textModels = (file: CatalogFile, on: ReadonlySet<ProviderName>): TextModel[] =>
  file.text
    .map(({ routes, markup, belowCost: _, ...entry }) => ({
      ...entry,
      rates: { ...pricesIn(ratesNamed(entry)), ...ifPresent(markup, (text) => ({ markup: ratioIn(text) })) },
      routes: textRoutesOn(routes, on),
    }))
    .filter((model) => model.routes.length > 0);

/** A model has only the formats that at least one enabled route makes. */
export const audioModels = (file: CatalogFile, on: ReadonlySet<ProviderName>, served: Served): AudioModel[] =>
  (file.audio ?? [])
    .map(({ routes, voices = [], formats = [], markup, belowCost: _, ...entry }) => ({
      ...entry,
      ...ifPresent(markup, (text) => ({ markup: ratioIn(text) })),
      voices,
      formats,
      unitCost: usd(entry.usdPerMchar ?? entry.usdPerHour ?? ''),
      routes: routesOn(routes, on).map((route) => ({
        ...route,
        formats: served.get(route.provider)?.speaks ?? [],
      })),
    }))
    .map((model) => ({
      ...model,
      formats: model.formats.filter((format) => model.routes.some((route) => route.formats.includes(format))),
    }))
    .filter((model) => model.routes.length > 0);
