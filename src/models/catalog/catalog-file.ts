import { InvalidRequest } from '#kernel/app-error';
import { parseUsd } from '#kernel/money';
import { ifPresent } from '#kernel/present';
import { faultsOf, validateAs } from '#platform/http/routes/validation';
import type { SpeechFormat } from '#models/providers/audio-provider';
import { type MediaMode, kindOf } from '#models/providers/media-mode';
import type { ProviderName } from '#models/providers/provider-name';
import type { Serves } from '#models/providers/vendor';
import { TOKEN_KINDS } from '#models/providers/token-prices';
import { type OptionalInput, OPTIONAL_INPUTS_OF, optionalInputsIn } from '#models/providers/optional-inputs';
import { ratioIn } from './prices.settings';
import { rateProblems } from './rates';
import {
  AudioEntry,
  type AudioKind,
  CatalogFile,
  MediaEntry,
  type RouteEntry,
  TextEntry,
} from './catalog-entries';

/** The catalog is wrong, so the service does not start. The message names each place. */
export class BadCatalog extends Error {
  constructor(readonly problems: readonly string[]) {
    super(`The catalog is wrong:\n${problems.map((problem) => `  - ${problem}`).join('\n')}`);
    this.name = 'BadCatalog';
  }
}

/** Whether a markup makes the price less than the cost. */
export const isBelowOne = (markup: string): boolean => {
  const { times, over } = ratioIn(markup);
  return times < over;
};

const isPrice = (text: string): boolean => (parseUsd(text) ?? 0n) > 0n;

/** The providers that a route may name, and their capabilities. */
export type Served = ReadonlyMap<ProviderName, Serves>;

const servesMode = (serves: Serves, mode: MediaMode | 'text' | AudioKind): boolean => {
  if (mode === 'text') return serves.text;
  if (mode === 'transcription') return serves.transcribes === true;
  return mode === 'speech' ? serves.speaks !== undefined : serves.modes.includes(mode);
};

const routeProblems = (
  where: string,
  routes: readonly RouteEntry[],
  served: Served,
  mode: MediaMode | 'text' | AudioKind,
): string[] =>
  routes.flatMap(({ provider }, index) => {
    const serves = served.get(provider);
    const path = `${where}.routes[${index}].provider is ${provider}`;
    if (serves === undefined) return [`${path}; the providers are ${[...served.keys()].join(', ')}`];
    const isServed = servesMode(serves, mode);
    return isServed ? [] : [`${path}, which makes no ${mode}`];
  });

const TOKEN_PRICES: ReadonlySet<string> = new Set(TOKEN_KINDS);

/**
 * A route's own prices replace the model's, so they must be complete. A price may be 0: for a free cache, or for a
 * model that the operator runs.
 */
const costProblems = (
  where: string,
  routes: readonly RouteEntry[],
  needed: readonly string[],
  known: ReadonlySet<string>,
): string[] =>
  routes.flatMap(({ costUsd }, index) => {
    if (costUsd === undefined) return [];
    const path = `${where}.routes[${index}].costUsd`;
    return [
      ...needed.filter((name) => costUsd[name] === undefined).map((name) => `${path}.${name} is missing`),
      ...Object.entries(costUsd).flatMap(([name, usd]) => [
        ...(known.has(name) ? [] : [`${path}.${name} is no price of such a model`]),
        ...(typeof usd === 'string' || known === TOKEN_PRICES ? [] : [`${path}.${name} can't have steps`]),
        ...rateProblems(`${path}.${name}`, usd, true),
      ]),
    ];
  });

/** The prices of tokens belong to routes of media. */
const tokenProblems = (where: string, routes: readonly RouteEntry[], isMedia: boolean): string[] =>
  routes.flatMap(({ tokensUsd }, index) => {
    if (tokensUsd === undefined) return [];
    const place = `${where}.routes[${index}].tokensUsd`;
    if (!isMedia) return [`${place} belongs to models of media; write costUsd`];
    return Object.entries(tokensUsd).flatMap(([kind, usd]) => rateProblems(`${place}.${kind}`, usd, true));
  });

/** Only an alias of a text model can name a release. */
const releaseProblems = (
  where: string,
  routes: readonly RouteEntry[],
  aliases: readonly string[] = [],
): string[] =>
  routes.flatMap(({ releases = {} }, index) =>
    Object.keys(releases)
      .filter((name) => !aliases.includes(name))
      .map((name) => `${where}.routes[${index}].releases.${name} is no alias of the model`),
  );

/**
 * Checks that `cheapest` has a cost for each route, that a day exists, and that a replacement is a model of the list. A
 * markup below 1 needs `belowCost`.
 */
const soldProblems = (
  { routing, routes, retiresOn, replacedBy, markup, belowCost }: MediaEntry | TextEntry | AudioEntry,
  where: string,
  ids: ReadonlySet<string>,
): string[] => [
  ...(ifPresent(markup, isBelowOne) === true && belowCost !== true
    ? [
        `${where}.markup is ${markup}; below 1 the model would sell below its cost, which belowCost: true permits`,
      ]
    : []),
  ...(routing === 'cheapest'
    ? routes.flatMap(({ cost }, index) =>
        cost === undefined ? [`${where}.routes[${index}].cost is missing; routing cheapest needs it`] : [],
      )
    : []),
  ...(retiresOn === undefined || !Number.isNaN(Date.parse(retiresOn))
    ? []
    : [`${where}.retiresOn is ${retiresOn}, which is no day`]),
  ...(replacedBy === undefined || ids.has(replacedBy)
    ? []
    : [`${where}.replacedBy is ${replacedBy}, which is no model of the same list`]),
];

/** Each optional input in the catalog must make sense in the mode of its model. At least one route must pass it on. */
const inputProblems = (
  { mode, capabilities = {}, routes }: MediaEntry,
  where: string,
  served: Served,
): string[] =>
  optionalInputsIn(capabilities).flatMap((input) => {
    const path = `${where}.capabilities.${input}`;
    if (!OPTIONAL_INPUTS_OF[mode].includes(input)) return [`${path} makes no sense for mode ${mode}`];
    const isTaken = routes.some(({ provider, model }) =>
      takes(served, mode, provider, model).includes(input),
    );
    return isTaken ? [] : [`${path}: none of its routes passes this on`];
  });

/** The optional inputs that a provider passes on to its own model. */
export const takes = (
  served: Served,
  mode: MediaMode,
  provider: string,
  model: string,
): readonly OptionalInput[] => served.get(provider)?.takes?.(mode, model) ?? [];

const mediaProblems = (entry: MediaEntry, where: string, served: Served): string[] => {
  const perSecond = kindOf(entry.mode) === 'video';
  const sizes = [...entry.resolutions, ...entry.imageSizes];
  const [, ...others] = entry.qualities ?? [];
  // Without a price of its own, a better picture would sell for the price of another one.
  const needed = others.flatMap((quality) =>
    sizes.length === 0 ? [quality] : sizes.map((size) => `${quality} ${size}`),
  );
  const tiers = new Set(['default', ...sizes, ...needed]);
  return [
    ...Object.entries(entry.pricing.usd).flatMap(([tier, usd]) => [
      ...(isPrice(usd) ? [] : [`${where}.pricing.usd.${tier} is ${usd}; it must be decimal USD above 0`]),
      ...(tiers.has(tier) ? [] : [`${where}.pricing.usd.${tier} prices a tier that the model doesn't list`]),
    ]),
    ...needed
      .filter((tier) => entry.pricing.usd[tier] === undefined)
      .map((tier) => `${where}.pricing.usd.${tier} is missing; a quality needs a price of each size`),
    ...(perSecond && entry.durations.length === 0
      ? [`${where}.durations must list the seconds it can make`]
      : []),
    ...(!perSecond && entry.durations.length > 0
      ? [`${where}.durations must be empty for mode ${entry.mode}, which is sold by the image`]
      : []),
    ...(entry.durations.some((step, index) => step <= (entry.durations[index - 1] ?? 0))
      ? [`${where}.durations must rise from step to step`]
      : []),
    ...(perSecond === (entry.pricing.unit === 'second')
      ? []
      : [`${where}.pricing.unit must be ${perSecond ? 'second' : 'image'} for mode ${entry.mode}`]),
    ...routeProblems(where, entry.routes, served, entry.mode),
    ...inputProblems(entry, where, served),
    ...costProblems(where, entry.routes, ['default', ...needed], tiers),
    ...tokenProblems(where, entry.routes, true),
    ...releaseProblems(where, entry.routes),
  ];
};

const textProblems = (entry: TextEntry, where: string, served: Served): string[] => [
  ...TOKEN_KINDS.flatMap((kind) => {
    const rate = entry[`${kind}UsdPerMtok`];
    return rate === undefined ? [] : rateProblems(`${where}.${kind}UsdPerMtok`, rate);
  }),
  ...routeProblems(where, entry.routes, served, 'text'),
  ...costProblems(where, entry.routes, ['input', 'output'], TOKEN_PRICES),
  ...tokenProblems(where, entry.routes, false),
  ...releaseProblems(where, entry.routes, [entry.id, ...(entry.aliases ?? [])]),
];

const DEFAULT_PRICE: ReadonlySet<string> = new Set(['default']);

const audioProblems = (entry: AudioEntry, where: string, served: Served): string[] => {
  const { kind, formats = [], routes } = entry;
  const [needed, other] =
    kind === 'speech' ? (['usdPerMchar', 'usdPerHour'] as const) : (['usdPerHour', 'usdPerMchar'] as const);
  const price = entry[needed] ?? 'missing';
  const isMade = (format: SpeechFormat): boolean =>
    routes.some(({ provider }) => served.get(provider)?.speaks?.includes(format));
  return [
    ...(isPrice(price) ? [] : [`${where}.${needed} is ${price}; it must be decimal USD above 0`]),
    ...(entry[other] === undefined ? [] : [`${where}.${other} is no price of ${kind}`]),
    ...(['voices', 'formats'] as const).flatMap((list) =>
      (entry[list] !== undefined) === (kind === 'speech')
        ? []
        : [`${where}.${list} belongs to models of speech, and is required there`],
    ),
    ...formats
      .filter((format) => !isMade(format))
      .map((format) => `${where}.formats has ${format}, which none of its routes makes`),
    ...routeProblems(where, routes, served, entry.kind),
    ...costProblems(where, routes, ['default'], DEFAULT_PRICE),
    ...tokenProblems(where, routes, false),
    ...releaseProblems(where, routes),
  ];
};

type AtPath = readonly [value: string, path: string];

/** The values that are there before, such as ids. */
const repeated = (values: readonly AtPath[]): readonly AtPath[] => {
  const known = new Set<string>();
  return values.filter(([value]) => known.size === known.add(value).size);
};

const namesOf = ({ id, aliases = [] }: Entry, where: string): AtPath[] => [
  [id, `${where}.id`],
  ...aliases.map((alias, index): AtPath => [alias, `${where}.aliases[${index}]`]),
];

/** The most mistakes of form that are named at once. */
const NAMED_MAX = 50;

const isA = <T extends object>(type: new () => T, value: unknown): value is T => {
  try {
    validateAs(type, value);
    return true;
  } catch (error) {
    if (error instanceof InvalidRequest) return false;
    throw error;
  }
};

/** The entries of a list without mistakes of form. There is a hole for each other one, so that these keep their place. */
const soundIn = <Entry extends object>(type: new () => Entry, list: unknown): readonly Entry[] => {
  const sound: Entry[] = [];
  for (const [index, entry] of (Array.isArray(list) ? list : []).entries())
    if (isA(type, entry)) sound[index] = entry;
  return sound;
};

const soundPartOf = ({ media, text, audio }: Readonly<Record<string, unknown>>): CatalogFile => ({
  media: soundIn(MediaEntry, media),
  text: soundIn(TextEntry, text),
  audio: soundIn(AudioEntry, audio),
});

/** The ids in a list, also those of entries with mistakes of form. */
const idsIn = (list: unknown): ReadonlySet<string> =>
  new Set((Array.isArray(list) ? list : []).map((entry: { id?: unknown } | null) => String(entry?.id)));

type Entry = MediaEntry | TextEntry | AudioEntry;

const pathOf = (list: string, { id }: Entry, index: number): string => `${list}[${index}] (${id})`;

/** The defaults of a list, each with the kind of models of which it is the default. */
const defaultsIn = <Each extends Entry>(
  list: string,
  entries: readonly Each[],
  kindOf: (entry: Each) => string,
): AtPath[] =>
  entries.flatMap((entry, index): AtPath[] =>
    entry.default === true ? [[kindOf(entry), `${pathOf(list, entry, index)}.default`]] : [],
  );

/** The mistakes of meaning. */
const problemsIn = (
  { media, text, audio = [] }: CatalogFile,
  lists: Readonly<Record<string, unknown>>,
  served: Served,
): readonly string[] => [
  ...media.flatMap((entry, index) => mediaProblems(entry, pathOf('media', entry, index), served)),
  ...text.flatMap((entry, index) => textProblems(entry, pathOf('text', entry, index), served)),
  ...audio.flatMap((entry, index) => audioProblems(entry, pathOf('audio', entry, index), served)),
  ...Object.entries({ media, text, audio }).flatMap(([name, entries]) => {
    const ids = idsIn(lists[name]);
    return entries.flatMap((entry, index) => soldProblems(entry, pathOf(name, entry, index), ids));
  }),
  ...repeated(
    Object.entries({ media, text, audio }).flatMap(([name, entries]) =>
      entries.flatMap((entry, index) => namesOf(entry, pathOf(name, entry, index))),
    ),
  ).map(([id, path]) => `${path}: ${id} occurs twice`),
  ...repeated([
    ...defaultsIn('media', media, ({ mode }) => `mode ${mode}`),
    ...defaultsIn('text', text, () => 'text'),
    ...defaultsIn('audio', audio, ({ kind }) => kind),
  ]).map(([kind, path]) => `${path}: ${kind} has two defaults`),
];

/**
 * Reads a catalog. Throws `BadCatalog` with the place of each entry that the service could not sell correctly. The
 * mistakes of meaning are those of the entries without mistakes of form.
 */
export const readCatalogFile = (json: unknown, served: Served): CatalogFile => {
  const lists = Object(json) as Readonly<Record<string, unknown>>;
  const isSound = isA(CatalogFile, json);
  const problems = problemsIn(isSound ? json : soundPartOf(lists), lists, served);
  if (!isSound) throw new BadCatalog([...faultsOf(CatalogFile, json).slice(0, NAMED_MAX), ...problems]);
  if (problems.length > 0) throw new BadCatalog(problems);
  return json;
};
