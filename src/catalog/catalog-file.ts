import { InvalidRequest } from '../kernel/app-error';
import { parseUsd } from '../kernel/money';
import {
  ChoiceField,
  FlagField,
  ListField,
  ObjectField,
  SchemaField,
  TextField,
  WholeField,
} from '../platform/http/routes/fields';
import { validateAs } from '../platform/http/routes/validation';
import { MEDIA_MODES, type MediaMode } from '../providers/media-mode';
import type { ProviderName } from '../providers/provider-name';
import type { Serves } from '../providers/vendor';

const ID = '^[a-z0-9][a-z0-9._-]{0,99}$';
const words = { type: 'array', items: { type: 'string', minLength: 1, maxLength: 40 }, maxItems: 50 };

export class RouteEntry {
  @TextField({ min: 1, max: 40 }) readonly provider: string;
  @TextField({ min: 1, max: 200 }) readonly model: string;
}

class PricingEntry {
  @ChoiceField(['image', 'second']) readonly unit: 'image' | 'second';
  @SchemaField(
    {},
    { type: 'object', required: ['default'], additionalProperties: { type: 'string' }, maxProperties: 50 },
  )
  readonly usd: Readonly<Record<string, string>>;
}

export class MediaEntry {
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
  @ListField(() => RouteEntry, { min: 1, max: 20 }) readonly routes: readonly RouteEntry[];
}

export class TextEntry {
  @TextField({ max: 100, pattern: ID }) readonly id: string;
  @TextField({ min: 1, max: 100 }) readonly name: string;
  @TextField({ max: 20 }) readonly inputUsdPerMtok: string;
  @TextField({ max: 20 }) readonly outputUsdPerMtok: string;
  @FlagField({ optional: true }) readonly reasoning?: boolean;
  @FlagField({ optional: true }) readonly vision?: boolean;
  /** The most tokens that one image may count as; studio chats reserve that many for each. */
  @WholeField({ min: 1, max: 1_000_000, optional: true }) readonly imageTokensMax?: number;
  @FlagField({ optional: true }) readonly openWeights?: boolean;
  @FlagField({ optional: true }) readonly default?: boolean;
  @ListField(() => RouteEntry, { min: 1, max: 20 }) readonly routes: readonly RouteEntry[];
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
  ];
};

const textProblems = (entry: TextEntry, where: string, served: Served): string[] => [
  ...(['inputUsdPerMtok', 'outputUsdPerMtok'] as const).flatMap((field) =>
    isPrice(entry[field]) ? [] : [`${where}.${field} is ${entry[field]}; it must be decimal USD above 0`],
  ),
  ...routeProblems(where, entry.routes, served, 'text'),
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
    ...twice([...file.media, ...file.text].map(({ id }) => id)).map((id) => `the id ${id} stands twice`),
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
