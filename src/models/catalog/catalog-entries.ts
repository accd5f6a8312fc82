import {
  ChoiceField,
  FlagField,
  ListField,
  NumberField,
  ObjectField,
  OnlyKnownNames,
  SchemaField,
  TextField,
  WholeField,
} from '#platform/http/routes/fields';
import { SPEECH_FORMATS, type SpeechFormat } from '#models/providers/audio-provider';
import { MEDIA_MODES, type MediaMode } from '#models/providers/media-mode';
import { ROUTINGS, type Routing } from '#models/providers/routing/route';
import { LISTED_COUNT_MAX as COUNT_MAX } from '#models/providers/models/listed-model';
import { RESULTS_MAX, type OptionalInput } from '#models/providers/optional-inputs';
import { DECIMAL, RATE_SCHEMA, type RateText } from './rates';

/** Models may have the names of makers. */
const NAME = String.raw`^[A-Za-z0-9](?:[\w.:/@-]{0,98}\w)?$`;
/** A ratio of two whole numbers. */
export const RATIO = String.raw`^[1-9]\d{0,5}/[1-9]\d{0,5}$`;
const DAY = String.raw`^\d{4}-\d\d-\d\d$`;
/** The most names of a model. A vendor lists dozens of releases of some models. */
export const ALIASES_MAX = 500;
/** The most additional pictures that any model may accept. */
export const SOURCES_MAX = 8;
const words = { type: 'array', items: { type: 'string', minLength: 1, maxLength: 40 }, maxItems: 50 };

@OnlyKnownNames()
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
  /** The provider's own names of the releases of a text model, by the aliases that a caller may name them by. */
  @SchemaField(
    { optional: true },
    {
      type: 'object',
      additionalProperties: { type: 'string', minLength: 1, maxLength: 200 },
      maxProperties: ALIASES_MAX,
    },
  )
  readonly releases?: Readonly<Record<string, string>>;
  /**
   * The prices of a million tokens in USD, if the provider bills a picture by the tokens of its prompt and its result:
   * `input`, `output` and `inputImage`. Only for media.
   */
  @SchemaField(
    { optional: true },
    {
      type: 'object',
      required: ['input', 'output'],
      additionalProperties: false,
      properties: { input: DECIMAL, output: DECIMAL, inputImage: DECIMAL },
    },
  )
  readonly tokensUsd?: { readonly input: string; readonly output: string; readonly inputImage?: string };
}

/** The fields that all kinds of models share. */
class SoldEntry {
  @ChoiceField(ROUTINGS, { optional: true }) readonly routing?: Routing;
  @ListField(() => RouteEntry, { min: 1, max: 20 }) readonly routes: readonly RouteEntry[];
  /** Further ids of the model. */
  @SchemaField(
    { optional: true },
    { type: 'array', items: { type: 'string', pattern: NAME }, maxItems: ALIASES_MAX },
  )
  readonly aliases?: readonly string[];
  /** Only callers whom ADULTS_ALLOWED lists may use the model. The policy allows POLICY_ADULT_CATEGORIES for it. */
  @FlagField({ optional: true }) readonly adultsOnly?: boolean;
  /** From this day (UTC) on, the model is no longer sold. */
  @TextField({ max: 10, pattern: DAY, optional: true }) readonly retiresOn?: string;
  /** The id of the model that callers should use instead. */
  @TextField({ max: 100, pattern: NAME, optional: true }) readonly replacedBy?: string;
  /**
   * The factor from the cost to the price, such as `5/4`. With it, the prices of the entry are the vendor's, and no cap
   * applies. For text: all payers pay the same; without it, the rates are the service's own.
   */
  @TextField({ max: 13, pattern: RATIO, optional: true }) readonly markup?: string;
  /** Says that the markup may be below 1, so that the model sells below its cost. */
  @FlagField({ optional: true }) readonly belowCost?: boolean;
}

@OnlyKnownNames()
class PricingEntry {
  @ChoiceField(['image', 'second']) readonly unit: 'image' | 'second';
  @SchemaField(
    {},
    { type: 'object', required: ['default'], additionalProperties: { type: 'string' }, maxProperties: 50 },
  )
  readonly usd: Readonly<Record<string, string>>;
}

/** The optional inputs of a call that a model can fulfil. */
@OnlyKnownNames()
export class CapabilitiesEntry implements Partial<Readonly<Record<OptionalInput, unknown>>> {
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

@OnlyKnownNames()
export class MediaEntry extends SoldEntry {
  @TextField({ max: 100, pattern: NAME }) readonly id: string;
  @TextField({ min: 1, max: 100 }) readonly name: string;
  @ChoiceField(MEDIA_MODES) readonly mode: MediaMode;
  @FlagField({ optional: true }) readonly private?: boolean;
  @FlagField({ optional: true }) readonly default?: boolean;
  @FlagField({ optional: true }) readonly audio?: boolean;
  /** Whether its films have sound, whatever a call says. */
  @FlagField({ optional: true }) readonly soundAlways?: boolean;
  @ObjectField(() => CapabilitiesEntry, { optional: true }) readonly capabilities?: CapabilitiesEntry;
  @SchemaField({}, words) readonly aspectRatios: readonly string[];
  @SchemaField({}, words) readonly resolutions: readonly string[];
  @SchemaField({}, words) readonly imageSizes: readonly string[];
  /** The qualities of its pictures, the default first, if their prices differ. */
  @SchemaField({ optional: true }, words) readonly qualities?: readonly string[];
  @SchemaField({}, { type: 'array', items: { type: 'integer', minimum: 1, maximum: 3_600 }, maxItems: 100 })
  readonly durations: readonly number[];
  @ObjectField(() => PricingEntry) readonly pricing: PricingEntry;
  @WholeField({ min: 10, max: 86_400, optional: true }) readonly deadlineSeconds?: number;
}

@OnlyKnownNames()
export class TextEntry extends SoldEntry {
  @TextField({ max: 100, pattern: NAME }) readonly id: string;
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
  @FlagField({ optional: true }) readonly private?: boolean;
  @FlagField({ optional: true }) readonly reasoning?: boolean;
  @FlagField({ optional: true }) readonly vision?: boolean;
  /** Whether it can call tools. */
  @FlagField({ optional: true }) readonly tools?: boolean;
  /** The most tokens that one image may count as. A completion reserves this number for each image. */
  @WholeField({ min: 1, max: 1_000_000, optional: true }) readonly imageTokensMax?: number;
  /** The most tokens of a conversation, with its answer. */
  @WholeField({ min: 1, max: COUNT_MAX, optional: true }) readonly contextTokens?: number;
  /** The longest context of its routes, if it is longer than `contextTokens`. A call holds money for that many. */
  @WholeField({ min: 1, max: COUNT_MAX, optional: true }) readonly inputTokensMax?: number;
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

@OnlyKnownNames()
export class AudioEntry extends SoldEntry {
  @TextField({ max: 100, pattern: NAME }) readonly id: string;
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

@OnlyKnownNames()
export class CatalogFile {
  @ListField(() => MediaEntry, { max: 1_000 }) readonly media: readonly MediaEntry[];
  @ListField(() => TextEntry, { max: 20_000 }) readonly text: readonly TextEntry[];
  @ListField(() => AudioEntry, { max: 1_000, optional: true }) readonly audio?: readonly AudioEntry[];
}
