import { InvalidRequest } from '#kernel/app-error';
import { parseUsd } from '#kernel/money';
import { ifPresent } from '#kernel/present';
import {
  ChoiceField,
  FlagField,
  ListField,
  NumberField,
  ObjectField,
  SchemaField,
  TextField,
  WholeField,
} from '#platform/http/routes/fields';
import { validateAs } from '#platform/http/routes/validation';
import { SPEECH_FORMATS, type SpeechFormat } from '#models/providers/audio-provider';
import { MEDIA_MODES, type MediaMode } from '#models/providers/media-mode';
import type { ProviderName } from '#models/providers/provider-name';
import { ROUTINGS, type Routing } from '#models/providers/routing/route';
import { LISTED_COUNT_MAX as COUNT_MAX } from '#models/providers/models/listed-model';
import type { Serves } from '#models/providers/vendor';
import { TOKEN_KINDS } from '#models/providers/token-prices';
import { RESULTS_MAX, type Wish, WISHES_OF, wishesIn } from '#models/providers/wishes';
import { ratioIn } from './prices.settings';
import { RATE_SCHEMA, type RateText, rateProblems } from './rates';

const ID = '^[a-z0-9][a-z0-9._-]{0,99}$';
/** Text models may have the names of makers. */
const TEXT_ID = String.raw`^[A-Za-z0-9](?:[\w.:/@-]{0,98}\w)?$`;
/** A ratio of two whole numbers. */
export const RATIO = String.raw`^[1-9]\d{0,5}/[1-9]\d{0,5}$`;
const DAY = String.raw`^\d{4}-\d\d-\d\d$`;
/** The most names of a model. A vendor lists dozens of releases of some models. */
export const ALIASES_MAX = 500;
/** The most additional pictures that any model may accept. */
export const SOURCES_MAX = 8;
const words = { type: 'array', items: { type: 'string', minLength: 1, maxLength: 40 }, maxItems: 50 };

export class RouteEntry {
  @TextField({ min: 1, max: 40 }) readonly provider: string;
  @TextField({ min: 1, max: 200 }) readonly model: string;
  /** The route's share of the calls, if `routing` is `weighted`. */
  @WholeField({ min: 1, max: 1_000, optional: true }) readonly weight?: number;
  /** The route's price in any unit, compared with the other routes, if `routing` is `cheapest`. */
  @NumberField({ min: 0, max: 1_000_000_000, optional: true }) readonly cost?: number;
  /**
   * The provider's own prices in USD, if they differ from the model's. For text: those of a million tokens by kind, with
   * steps if the provider has them. For media: the price of an image or a second by tier, as in `pricing`. For audio: the
   * price of a million characters or of an hour, as `default`.
   */
  @SchemaField(
    { optional: true },
    { type: 'object', additionalProperties: RATE_SCHEMA, minProperties: 1, maxProperties: 50 },
  )
  readonly costUsd?: Readonly<Record<string, RateText>>;
}

/** The fields that all kinds of models share. */
class SoldEntry {
  @ChoiceField(ROUTINGS, { optional: true }) readonly routing?: Routing;
  @ListField(() => RouteEntry, { min: 1, max: 20 }) readonly routes: readonly RouteEntry[];
  /** Further ids of the model. */
  @SchemaField(
    { optional: true },
    { type: 'array', items: { type: 'string', pattern: TEXT_ID }, maxItems: ALIASES_MAX },
  )
  readonly aliases?: readonly string[];
  /** Only callers whom ADULTS_ALLOWED lists may use the model. The policy allows POLICY_ADULT_CATEGORIES for it. */
  @FlagField({ optional: true }) readonly adultsOnly?: boolean;
  /** From this day (UTC) on, the model is no longer sold. */
  @TextField({ max: 10, pattern: DAY, optional: true }) readonly retiresOn?: string;
  /** The id of the model that callers should use instead. */
  @TextField({ max: 100, pattern: TEXT_ID, optional: true }) readonly replacedBy?: string;
}

class PricingEntry {
  @ChoiceField(['image', 'second']) readonly unit: 'image' | 'second';
  @SchemaField(
    {},
    { type: 'object', required: ['default'], additionalProperties: { type: 'string' }, maxProperties: 50 },
  )
  readonly usd: Readonly<Record<string, string>>;
}

/** The wishes of a call that a model can fulfil. */
export class CapabilitiesEntry implements Partial<Readonly<Record<Wish, unknown>>> {
  @FlagField({ optional: true }) readonly seed?: boolean;
  @FlagField({ optional: true }) readonly negativePrompt?: boolean;
  /** The most additional pictures beside `image`. */
  @WholeField({ min: 1, max: SOURCES_MAX, optional: true }) readonly sources?: number;
  @FlagField({ optional: true }) readonly mask?: boolean;
  @FlagField({ optional: true }) readonly lastFrame?: boolean;
  @FlagField({ optional: true }) readonly extend?: boolean;
  /** The most results of one call. */
  @WholeField({ min: 2, max: RESULTS_MAX, optional: true }) readonly n?: number;
}

export class MediaEntry extends SoldEntry {
  @TextField({ max: 100, pattern: ID }) readonly id: string;
  @TextField({ min: 1, max: 100 }) readonly name: string;
  @ChoiceField(MEDIA_MODES) readonly mode: MediaMode;
  @FlagField({ optional: true }) readonly private?: boolean;
  @FlagField({ optional: true }) readonly default?: boolean;
  @FlagField({ optional: true }) readonly audio?: boolean;
  @ObjectField(() => CapabilitiesEntry, { optional: true }) readonly capabilities?: CapabilitiesEntry;
  @SchemaField({}, words) readonly aspectRatios: readonly string[];
  @SchemaField({}, words) readonly resolutions: readonly string[];
  @SchemaField({}, words) readonly imageSizes: readonly string[];
  @SchemaField({}, { type: 'array', items: { type: 'integer', minimum: 1, maximum: 3_600 }, maxItems: 100 })
  readonly durations: readonly number[];
  @ObjectField(() => PricingEntry) readonly pricing: PricingEntry;
  @WholeField({ min: 10, max: 86_400, optional: true }) readonly deadlineSeconds?: number;
}

export class TextEntry extends SoldEntry {
  @TextField({ max: 100, pattern: TEXT_ID }) readonly id: string;
  @TextField({ min: 1, max: 100 }) readonly name: string;
  @SchemaField({}, RATE_SCHEMA) readonly inputUsdPerMtok: RateText;
  @SchemaField({}, RATE_SCHEMA) readonly outputUsdPerMtok: RateText;
  /** The price of tokens that the vendor reads from its cache. Without it, they cost as much as other input. */
  @SchemaField({ optional: true }, RATE_SCHEMA) readonly cacheReadUsdPerMtok?: RateText;
  /** The price of tokens that the vendor writes into its cache. Some vendors charge more than for other input. */
  @SchemaField({ optional: true }, RATE_SCHEMA) readonly cacheWriteUsdPerMtok?: RateText;
  /** The same for tokens that the cache keeps for an hour. Without it, they cost as much as other written tokens. */
  @SchemaField({ optional: true }, RATE_SCHEMA) readonly cacheWrite1hUsdPerMtok?: RateText;
  @SchemaField({ optional: true }, RATE_SCHEMA) readonly inputImageUsdPerMtok?: RateText;
  @SchemaField({ optional: true }, RATE_SCHEMA) readonly inputAudioUsdPerMtok?: RateText;
  @SchemaField({ optional: true }, RATE_SCHEMA) readonly outputAudioUsdPerMtok?: RateText;
  /**
   * The factor from the rates to the price, such as `5/4`. With it, the rates are the vendor's, all payers pay the
   * same, and the cap of chat calls does not apply. Without it, the rates are the service's own.
   */
  @TextField({ max: 13, pattern: RATIO, optional: true }) readonly markup?: string;
  /** Says that the markup may be below 1, so that the model sells below its cost. */
  @FlagField({ optional: true }) readonly belowCost?: boolean;
  @FlagField({ optional: true }) readonly private?: boolean;
  @FlagField({ optional: true }) readonly reasoning?: boolean;
  @FlagField({ optional: true }) readonly vision?: boolean;
  /** Whether it can call tools. */
  @FlagField({ optional: true }) readonly tools?: boolean;
  /** The most tokens that one image may count as. A completion reserves this number for each image. */
  @WholeField({ min: 1, max: 1_000_000, optional: true }) readonly imageTokensMax?: number;
  /** The most tokens of a conversation, with its answer. */
  @WholeField({ min: 1, max: COUNT_MAX, optional: true }) readonly contextTokens?: number;
  /** The most tokens of an answer. Without it, 8192; and 1024 for a call that states no limit. */
  @WholeField({ min: 1, max: COUNT_MAX, optional: true }) readonly maxOutputTokens?: number;
  /** After this time without a first piece, the service also asks a second route. Both vendors may bill the call. */
  @WholeField({ min: 100, max: 60_000, optional: true }) readonly hedgeAfterMs?: number;
  @FlagField({ optional: true }) readonly openWeights?: boolean;
  @FlagField({ optional: true }) readonly default?: boolean;
}

/** The work of an audio model. */
export const AUDIO_KINDS = ['speech', 'transcription'] as const;
export type AudioKind = (typeof AUDIO_KINDS)[number];

export class AudioEntry extends SoldEntry {
  @TextField({ max: 100, pattern: ID }) readonly id: string;
  @TextField({ min: 1, max: 100 }) readonly name: string;
  @ChoiceField(AUDIO_KINDS) readonly kind: AudioKind;
  @FlagField({ optional: true }) readonly default?: boolean;
  /** The provider's price of a million characters of speech, in USD. */
  @TextField({ max: 20, optional: true }) readonly usdPerMchar?: string;
  /** The provider's price of an hour of a recording, in USD. */
  @TextField({ max: 20, optional: true }) readonly usdPerHour?: string;
  /** Only for speech. */
  @SchemaField({ optional: true }, { ...words, minItems: 1 }) readonly voices?: readonly string[];
  /** Only for speech. */
  @SchemaField(
    { optional: true },
    { type: 'array', items: { type: 'string', enum: SPEECH_FORMATS }, minItems: 1, uniqueItems: true },
  )
  readonly formats?: readonly SpeechFormat[];
}

export class CatalogFile {
  @ListField(() => MediaEntry, { max: 1_000 }) readonly media: readonly MediaEntry[];
  @ListField(() => TextEntry, { max: 20_000 }) readonly text: readonly TextEntry[];
  @ListField(() => AudioEntry, { max: 1_000, optional: true }) readonly audio?: readonly AudioEntry[];
}

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
    const place = `${where}.routes[${index}].provider is ${provider}`;
    if (serves === undefined) return [`${place}; the providers are ${[...served.keys()].join(', ')}`];
    const isServed = servesMode(serves, mode);
    return isServed ? [] : [`${place}, which makes no ${mode}`];
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
    const place = `${where}.routes[${index}].costUsd`;
    return [
      ...needed.filter((name) => costUsd[name] === undefined).map((name) => `${place}.${name} is missing`),
      ...Object.entries(costUsd).flatMap(([name, usd]) => [
        ...(known.has(name) ? [] : [`${place}.${name} is no price of such a model`]),
        ...(typeof usd === 'string' || known === TOKEN_PRICES ? [] : [`${place}.${name} can't have steps`]),
        ...rateProblems(`${place}.${name}`, usd, true),
      ]),
    ];
  });

/**
 * Checks that `cheapest` has a cost for each route, that a day exists, and that a replacement is a model of the list.
 */
const soldProblems = (
  { routing, routes, retiresOn, replacedBy }: MediaEntry | TextEntry | AudioEntry,
  where: string,
  ids: ReadonlySet<string>,
): string[] => [
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

/** Each wish in the catalog must make sense in the mode of its model, and at least one route must pass it on. */
const wishProblems = (
  { mode, capabilities = {}, routes }: MediaEntry,
  where: string,
  served: Served,
): string[] =>
  wishesIn(capabilities).flatMap((wish) => {
    const place = `${where}.capabilities.${wish}`;
    if (!WISHES_OF[mode].includes(wish)) return [`${place} makes no sense for mode ${mode}`];
    const isTaken = routes.some(({ provider, model }) => takes(served, mode, provider, model).includes(wish));
    return isTaken ? [] : [`${place}: none of its routes passes this on`];
  });

/** The wishes that a provider passes on to its own model. */
export const takes = (served: Served, mode: MediaMode, provider: string, model: string): readonly Wish[] =>
  served.get(provider)?.takes?.(mode, model) ?? [];

const mediaProblems = (entry: MediaEntry, where: string, served: Served): string[] => {
  const perSecond = ['t2v', 'i2v', 'motion'].includes(entry.mode);
  const tiers = new Set(['default', ...entry.resolutions, ...entry.imageSizes]);
  return [
    ...Object.entries(entry.pricing.usd).flatMap(([tier, usd]) => [
      ...(isPrice(usd) ? [] : [`${where}.pricing.usd.${tier} is ${usd}; it must be decimal USD above 0`]),
      ...(tiers.has(tier) ? [] : [`${where}.pricing.usd.${tier} prices a tier that the model doesn't list`]),
    ]),
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
    ...wishProblems(entry, where, served),
    ...costProblems(where, entry.routes, ['default'], tiers),
  ];
};

const textProblems = (entry: TextEntry, where: string, served: Served): string[] => [
  ...TOKEN_KINDS.flatMap((kind) => {
    const rate = entry[`${kind}UsdPerMtok`];
    return rate === undefined ? [] : rateProblems(`${where}.${kind}UsdPerMtok`, rate);
  }),
  ...(ifPresent(entry.markup, isBelowOne) === true && entry.belowCost !== true
    ? [
        `${where}.markup is ${entry.markup}; below 1 the model would sell below its cost, which belowCost: true permits`,
      ]
    : []),
  ...routeProblems(where, entry.routes, served, 'text'),
  ...costProblems(where, entry.routes, ['input', 'output'], TOKEN_PRICES),
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
  ];
};

const twice = (values: readonly string[]): string[] => [
  ...new Set(values.filter((value, index) => values.indexOf(value) !== index)),
];

/** Reads a catalog. Throws `BadCatalog` with the place of each entry that the service could not sell correctly. */
export const readCatalogFile = (json: unknown, served: Served): CatalogFile => {
  let file: CatalogFile;
  try {
    file = validateAs(CatalogFile, json);
  } catch (error) {
    if (error instanceof InvalidRequest) throw new BadCatalog([error.message]);
    throw error;
  }
  const { audio = [] } = file;
  const problems = [
    ...file.media.flatMap((entry, index) => mediaProblems(entry, `media[${index}] (${entry.id})`, served)),
    ...file.text.flatMap((entry, index) => textProblems(entry, `text[${index}] (${entry.id})`, served)),
    ...audio.flatMap((entry, index) => audioProblems(entry, `audio[${index}] (${entry.id})`, served)),
    ...[file.media, file.text, audio].flatMap((entries) => {
      const ids = new Set(entries.map(({ id }) => id));
      return entries.flatMap((entry) => soldProblems(entry, entry.id, ids));
    }),
    ...twice([...file.media, ...file.text, ...audio].flatMap(({ id, aliases = [] }) => [id, ...aliases])).map(
      (id) => `the id ${id} occurs twice`,
    ),
    ...twice(file.media.filter((entry) => entry.default).map(({ mode }) => mode)).map(
      (mode) => `mode ${mode} has two defaults`,
    ),
    ...(file.text.filter((entry) => entry.default).length > 1 ? ['text has two defaults'] : []),
    ...twice(audio.filter((entry) => entry.default).map(({ kind }) => kind)).map(
      (kind) => `${kind} has two defaults`,
    ),
  ];
  if (problems.length > 0) {
    throw new BadCatalog(problems);
  }
  return file;
};
