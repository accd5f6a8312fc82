import { type Micro, usdText } from '#kernel/money';
import { ifPresent, withoutAbsent } from '#kernel/present';
import type { Catalog } from '../catalog';
import type { AnyModel, AudioModel, MediaModel, TextModel } from '../catalog-models';
import type { ProviderRoute } from '#models/providers/routing/route';
import {
  ALIASES_MAX,
  type AudioEntry,
  type CatalogFile,
  type MediaEntry,
  type RouteEntry,
  type TextEntry,
} from '../catalog-entries';
import { isBelowOne } from '../catalog-file';
import type { Ratio } from '../prices.settings';
import { type RateTexts, namedRates, rateTextsOf } from '../rates';
import { aliasesOf } from './model-facts';
import { type ModelChoice, isSameRoute, usedOf } from './model-choice';

const textOf = ({ times, over }: Ratio): string => `${times}/${over}`;

const ratesOf = ({ rates: { markup: ratio, ...costs } }: TextModel) => {
  const markup = ifPresent(ratio, textOf);
  const belowCost = ifPresent(markup, isBelowOne) === true || undefined;
  return { ...namedRates(rateTextsOf(costs)), markup, belowCost };
};

const usdTexts = (costs: ReadonlyMap<string, Micro>): Record<string, string> =>
  Object.fromEntries([...costs].map(([tier, cost]) => [tier, usdText(cost)]));

const markupOf = ({ markup: ratio }: MediaModel | AudioModel) => {
  const markup = ifPresent(ratio, textOf);
  return { markup, belowCost: ifPresent(markup, isBelowOne) === true || undefined };
};

const tokensOf = ({ prices }: ProviderRoute) =>
  ifPresent(prices, ({ input, output, inputImage }) =>
    withoutAbsent({
      input: usdText(input),
      output: usdText(output),
      inputImage: ifPresent(inputImage, usdText),
    }),
  );

/** The routes of a medium or of sound, with the fields of a file. */
const fileRoutes = (routes: readonly ProviderRoute[]): RouteEntry[] =>
  routes.map((route) =>
    withoutAbsent({
      provider: route.provider,
      model: route.model,
      costUsd: ifPresent(route.costs, usdTexts),
      tokensUsd: tokensOf(route),
    }),
  );

/** A medium of the book as an entry of a file. */
const mediaEntryOf = (model: MediaModel): MediaEntry => {
  const { isListed: _listed, leftOut: _left, replacedBy: _newer, unit, costs, routes, ...own } = model;
  return withoutAbsent({
    ...own,
    ...markupOf(model),
    pricing: { unit, usd: usdTexts(costs) },
    routes: fileRoutes(routes),
  }) as unknown as MediaEntry;
};

/** A model of sound of the book as an entry of a file. */
const audioEntryOf = (model: AudioModel): AudioEntry => {
  const { isListed: _listed, leftOut: _left, replacedBy: _newer, unitCost, routes, ...own } = model;
  const { voices, formats, ...shape } = own;
  return withoutAbsent({
    ...shape,
    ...markupOf(model),
    ...(model.kind === 'speech'
      ? { voices, formats, usdPerMchar: usdText(unitCost) }
      : { usdPerHour: usdText(unitCost) }),
    routes: fileRoutes(routes),
  }) as unknown as AudioEntry;
};

const listedIn = <Model extends AnyModel>(models: Iterable<Model>): readonly Model[] =>
  [...models].filter((model) => model.isListed === true);

const releasesIn = (
  releases: Readonly<Record<string, string>>,
  names: ReadonlySet<string>,
): Readonly<Record<string, string>> =>
  Object.fromEntries(Object.entries(releases).filter(([name]) => names.has(name)));

/** A model of a list as an entry of a file. A release at none of its routes is no alias there: it would lead to another one. */
const entryOf = (model: TextModel, catalog: Catalog): TextEntry => {
  const { isListed: _listed, offers: _offers, rates: _rates, routes, replacedBy: _newer, ...own } = model;
  const aliases = aliasesOf(model, catalog)
    ?.filter((alias) => catalog.textModel(alias).refusal === undefined)
    .slice(0, ALIASES_MAX);
  const names = new Set([model.id, ...(aliases ?? [])]);
  return withoutAbsent({
    ...own,
    ...ratesOf(model),
    aliases,
    routes: routes.map(({ provider, model: name, prices, releases }) =>
      withoutAbsent({
        provider,
        model: name,
        releases: ifPresent(releases, (all) => releasesIn(Object.fromEntries(all), names)),
        costUsd: ifPresent(
          prices,
          (known) => rateTextsOf(known) as Record<string, NonNullable<RateTexts['input']>>,
        ),
      }),
    ),
  }) as unknown as TextEntry;
};

interface OwnEntry {
  readonly id: string;
  readonly replacedBy?: string;
  readonly routes: readonly RouteEntry[];
}

/** The entries of the present file whose models are for sale, with the operator's changes. */
const ownEntries = <Entry extends OwnEntry>(
  entries: readonly Entry[],
  sold: ReadonlyMap<
    string,
    { readonly routes: readonly { readonly provider: string; readonly model: string }[] }
  >,
  choices: ReadonlyMap<string, ModelChoice>,
): Entry[] =>
  entries.flatMap((entry) => {
    const model = sold.get(entry.id);
    if (model === undefined) return [];
    const { private: isPrivate, adultsOnly, routes: order } = choices.get(entry.id) ?? {};
    const first = model.routes.flatMap(
      (route) => entry.routes.find((each) => isSameRoute(each, route)) ?? [],
    );
    const routes = [...first, ...usedOf(entry.routes, order).filter((route) => !first.includes(route))];
    // The service does not start with a file whose replacement is not in it.
    const { replacedBy = '', ...rest } = entry;
    const kept = sold.has(replacedBy) ? entry : (rest as Entry);
    return [{ ...kept, ...withoutAbsent({ private: isPrivate, adultsOnly }), routes }];
  });

/** A text model of the present file. The service does not start with a release that is no alias. */
const ownEntryOf = (entry: TextEntry, catalog: Catalog): TextEntry => {
  const aliases = aliasesOf(entry, catalog)?.slice(0, ALIASES_MAX);
  const names = new Set([entry.id, ...(aliases ?? [])]);
  const routes = entry.routes.map((route) =>
    withoutAbsent({ ...route, releases: ifPresent(route.releases, (all) => releasesIn(all, names)) }),
  );
  return withoutAbsent({ ...entry, aliases, routes });
};

/** Lists show no mark of a private model of sound, and a file has none. The service does not start with one. */
const unmarked = ({ private: _mark, ...entry }: AudioEntry & { readonly private?: boolean }): AudioEntry =>
  entry;

/** The models for sale now, as a CATALOG_FILE that sells the same. */
export const exportedFile = (catalog: Catalog, changes: ReadonlyMap<string, ModelChoice>): CatalogFile => {
  const { file, media, shownMedia, text, shownAudio, audio } = catalog;
  const choices = catalog.isOwnFile ? new Map<string, ModelChoice>() : changes;
  const own = ownEntries(file.text, text, choices).map((entry) => ownEntryOf(entry, catalog));
  return {
    media: [...ownEntries(file.media, media, choices), ...listedIn(shownMedia).map(mediaEntryOf)],
    text: [...own, ...listedIn(text.values()).map((model) => entryOf(model, catalog))] as TextEntry[],
    audio: [...ownEntries(file.audio ?? [], audio, choices), ...listedIn(shownAudio).map(audioEntryOf)].map(
      unmarked,
    ),
  };
};
