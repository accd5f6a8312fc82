import { InvalidRequest } from '../kernel/app-error';
import { parseUsd } from '../kernel/money';
import {
  ChoiceField,
  FlagField,
  ListField,
  NumberField,
  ObjectField,
  SchemaField,
  TextField,
  WholeField,
} from '../platform/http/routes/fields';
import { validateAs } from '../platform/http/routes/validation';
import { MEDIA_MODES, type MediaMode } from '../providers/media-mode';
import type { ProviderName } from '../providers/provider-name';
import { ROUTINGS, type Routing } from '../providers/routing/route';
import type { Serves } from '../providers/vendor';

const ID = '^[a-z0-9][a-z0-9._-]{0,99}$';
const DAY = String.raw`^\d{4}-\d\d-\d\d$`;
const words = { type: 'array', items: { type: 'string', minLength: 1, maxLength: 40 }, maxItems: 50 };

export class RouteEntry {
  @TextField({ min: 1, max: 40 }) readonly provider: string;
  @TextField({ min: 1, max: 200 }) readonly model: string;
  /** Its share of the calls, with `routing` `weighted`. */
  @WholeField({ min: 1, max: 1_000, optional: true }) readonly weight?: number;
  /** Its price compared with the other routes, in any unit, with `routing` `cheapest`. */
  @NumberField({ min: 0, max: 1_000_000_000, optional: true }) readonly cost?: number;
  /**
   * The provider's own prices, where they differ from the model's. Of a text model: USD of a million tokens, as `input`,
   * `output`, `cacheRead` and `cacheWrite`. Of a medium: USD of an image or a second by tier, as in `pricing`.
   */
  @SchemaField(
    { optional: true },
    { type: 'object', additionalProperties: { type: 'string' }, minProperties: 1, maxProperties: 50 },
  )
  readonly costUsd?: Readonly<Record<string, string>>;
}

/** The fields of a model about its routes and its life. */
class SoldEntry {
  @ChoiceField(ROUTINGS, { optional: true }) readonly routing?: Routing;
  @ListField(() => RouteEntry, { min: 1, max: 20 }) readonly routes: readonly RouteEntry[];
  /** Further ids of the model. */
  @SchemaField({ optional: true }, { type: 'array', items: { type: 'string', pattern: ID }, maxItems: 20 })
  readonly aliases?: readonly string[];
  /** From this day (UTC) on it is sold no more. */
  @TextField({ max: 10, pattern: DAY, optional: true }) readonly retiresOn?: string;
  /** The id of the model that callers should use instead. */
  @TextField({ max: 100, pattern: ID, optional: true }) readonly replacedBy?: string;
}

class PricingEntry {
  @ChoiceField(['image', 'second']) readonly unit: 'image' | 'second';
  @SchemaField(
    {},
    { type: 'object', required: ['default'], additionalProperties: { type: 'string' }, maxProperties: 50 },
  )
  readonly usd: Readonly<Record<string, string>>;
}

export class MediaEntry extends SoldEntry {
  @TextField({ max: 100, pattern: ID }) readonly id: string;
  @TextField({ min: 1, max: 100 }) readonly name: string;
  @ChoiceField(MEDIA_MODES) readonly mode: MediaMode;
  @FlagField({ optional: true }) readonly private?: boolean;
  @FlagField({ optional: true }) readonly default?: boolean;
  @FlagField({ optional: true }) readonly audio?: boolean;
  @SchemaField({}, words) readonly aspectRatios: readonly string[];
  @SchemaField({}, words) readonly resolutions: readonly string[];
  @SchemaField({}, words) readonly imageSizes: readonly string[];
  @SchemaField({}, { type: 'array', items: { type: 'integer', minimum: 1, maximum: 3_600 }, maxItems: 100 })
  readonly durations: readonly number[];
  @ObjectField(() => PricingEntry) readonly pricing: PricingEntry;
  @WholeField({ min: 10, max: 86_400, optional: true }) readonly deadlineSeconds?: number;
}

export class TextEntry extends SoldEntry {
  @TextField({ max: 100, pattern: ID }) readonly id: string;
  @TextField({ min: 1, max: 100 }) readonly name: string;
  @TextField({ max: 20 }) readonly inputUsdPerMtok: string;
  @TextField({ max: 20 }) readonly outputUsdPerMtok: string;
  @FlagField({ optional: true }) readonly reasoning?: boolean;
  @FlagField({ optional: true }) readonly vision?: boolean;
  /** The most tokens that one image may count as; studio chats reserve that many for each. */
  @WholeField({ min: 1, max: 1_000_000, optional: true }) readonly imageTokensMax?: number;
  /** A second route is asked if the first one has not begun to answer after so long. Its vendor may bill it as well. */
  @WholeField({ min: 100, max: 60_000, optional: true }) readonly hedgeAfterMs?: number;
  @FlagField({ optional: true }) readonly openWeights?: boolean;
  @FlagField({ optional: true }) readonly default?: boolean;
}

export class CatalogFile {
  @ListField(() => MediaEntry, { max: 1_000 }) readonly media: readonly MediaEntry[];
  @ListField(() => TextEntry, { max: 1_000 }) readonly text: readonly TextEntry[];
}

/** The catalog can't be used; the message names the place. Stops the start. */
export class BadCatalog extends Error {
  constructor(readonly problems: readonly string[]) {
    super(`The catalog is wrong:\n${problems.map((problem) => `  - ${problem}`).join('\n')}`);
    this.name = 'BadCatalog';
  }
}

const isPrice = (text: string): boolean => (parseUsd(text) ?? 0n) > 0n;

/** The providers that a route may name, and their abilities. */
export type Served = ReadonlyMap<ProviderName, Serves>;

const routeProblems = (
  where: string,
  routes: readonly RouteEntry[],
  served: Served,
  mode: MediaMode | 'text',
): string[] =>
  routes.flatMap(({ provider }, index) => {
    const serves = served.get(provider);
    const place = `${where}.routes[${index}].provider is ${provider}`;
    if (serves === undefined) return [`${place}; the providers are ${[...served.keys()].join(', ')}`];
    const isServed = mode === 'text' ? serves.text : serves.modes.includes(mode);
    return isServed ? [] : [`${place}, which makes no ${mode}`];
  });

/** The names of a route's prices of tokens. `cacheRead` and `cacheWrite` cost as `input` without a price of their own. */
const TOKEN_PRICES: ReadonlySet<string> = new Set(['input', 'output', 'cacheRead', 'cacheWrite']);

/** A route's own prices replace the model's, so they must be complete. A free cache or a model of one's own costs 0. */
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
        ...(parseUsd(usd) === undefined ? [`${place}.${name} is ${usd}; it must be decimal USD`] : []),
      ]),
    ];
  });

/** A price routing needs the price of each route, and a day must exist. */
const soldProblems = (
  { routing, routes, retiresOn, replacedBy }: MediaEntry | TextEntry,
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
    ...costProblems(where, entry.routes, ['default'], tiers),
  ];
};

const textProblems = (entry: TextEntry, where: string, served: Served): string[] => [
  ...(['inputUsdPerMtok', 'outputUsdPerMtok'] as const).flatMap((field) =>
    isPrice(entry[field]) ? [] : [`${where}.${field} is ${entry[field]}; it must be decimal USD above 0`],
  ),
  ...routeProblems(where, entry.routes, served, 'text'),
  ...costProblems(where, entry.routes, ['input', 'output'], TOKEN_PRICES),
];

const twice = (values: readonly string[]): string[] => [
  ...new Set(values.filter((value, index) => values.indexOf(value) !== index)),
];

/** Reads a catalog and refuses, with the place, every entry that would be sold wrongly. */
export const readCatalogFile = (json: unknown, served: Served): CatalogFile => {
  let file: CatalogFile;
  try {
    file = validateAs(CatalogFile, json);
  } catch (error) {
    if (error instanceof InvalidRequest) throw new BadCatalog([error.message]);
    throw error;
  }
  const problems = [
    ...file.media.flatMap((entry, index) => mediaProblems(entry, `media[${index}] (${entry.id})`, served)),
    ...file.text.flatMap((entry, index) => textProblems(entry, `text[${index}] (${entry.id})`, served)),
    ...[file.media, file.text].flatMap((entries) => {
      const ids = new Set(entries.map(({ id }) => id));
      return entries.flatMap((entry) => soldProblems(entry, entry.id, ids));
    }),
    ...twice([...file.media, ...file.text].flatMap(({ id, aliases = [] }) => [id, ...aliases])).map(
      (id) => `the id ${id} occurs twice`,
    ),
    ...twice(file.media.filter((entry) => entry.default).map(({ mode }) => mode)).map(
      (mode) => `mode ${mode} has two defaults`,
    ),
    ...(file.text.filter((entry) => entry.default).length > 1 ? ['text has two defaults'] : []),
  ];
  if (problems.length > 0) {
    throw new BadCatalog(problems);
  }
  return file;
};
