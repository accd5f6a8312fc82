import { IntersectionType } from '@nestjs/swagger';

import { MEDIA_MODES } from '#models/providers/media-mode';
import { RESULTS_MAX } from '#models/providers/optional-inputs';
import {
  AmountField,
  ChoiceField,
  FlagField,
  ListField,
  ObjectField,
  SchemaField,
  TextField,
  WholeField,
} from '#platform/http/routes/fields';

import { AUDIO_KINDS, SOURCES_MAX } from './catalog-entries';

const words = { type: 'array', items: { type: 'string' } };

export class MediaPrices {
  @ChoiceField(['image', 'second'], { about: 'The unit of the price.' }) readonly unit: string;
  @SchemaField(
    {
      about:
        'Retail micro-USD per unit, by resolution or image size. For another `quality` than the default, the key begins with it, as in `high 1024x1024`.',
      example: { default: 30770 },
    },
    { type: 'object', additionalProperties: { type: 'integer', minimum: 1 } },
  )
  readonly priceMicro: Readonly<Record<string, number>>;
}

class ModelLife {
  @SchemaField({ optional: true, about: 'Further ids of the model.' }, words)
  readonly aliases?: readonly string[];
  @FlagField({ optional: true, about: 'Only callers whom the operator allows may use it.' })
  readonly adultsOnly?: boolean;
  @TextField({ max: 10, optional: true, about: 'The day (UTC) from which the model is no longer sold.' })
  readonly retiresOn?: string;
  @TextField({ max: 100, optional: true, about: 'The model to use instead of a retired one.' })
  readonly replacedBy?: string;
}

export class CapabilitiesAnswer {
  @FlagField({ optional: true, about: 'The model supports `seed`.' }) readonly seed?: boolean;
  @FlagField({ optional: true, about: 'The model supports `negativePrompt`.' })
  readonly negativePrompt?: boolean;
  @WholeField({ min: 1, max: SOURCES_MAX, optional: true, about: 'The most `sources` beside `image`.' })
  readonly sources?: number;
  @FlagField({ optional: true, about: 'The model supports `mask`.' }) readonly mask?: boolean;
  @FlagField({ optional: true, about: 'The model supports `lastFrame`.' }) readonly lastFrame?: boolean;
  @FlagField({ optional: true, about: 'The model can continue a clip (`extend`).' })
  readonly extend?: boolean;
  @WholeField({ min: 2, max: RESULTS_MAX, optional: true, about: 'The most results of one call, `n`.' })
  readonly n?: number;
}

export class MediaModelAnswer extends ModelLife {
  @TextField({ max: 100, about: 'Use it as `modelId`, or as `model` on the compatible routes.' })
  readonly id: string;
  @TextField({ max: 100 }) readonly name: string;
  @ChoiceField(MEDIA_MODES, { about: 'The kind of input and of result: `t2v` is text to video.' })
  readonly mode: string;
  @FlagField({ optional: true, about: 'Whether it belongs to the private models.' })
  readonly private?: boolean;
  @FlagField({ optional: true, about: 'The default of its mode.' }) readonly default?: boolean;
  @FlagField({ about: 'Whether it can make sound.' }) readonly audio: boolean;
  @FlagField({
    optional: true,
    about: 'Set if its films always have sound, so that `audio: false` is refused.',
  })
  readonly soundAlways?: boolean;
  @ObjectField(() => CapabilitiesAnswer, { about: 'The wishes of a call that it can fulfil.' })
  readonly capabilities: CapabilitiesAnswer;
  @SchemaField({}, words) readonly aspectRatios: readonly string[];
  @SchemaField({}, words) readonly resolutions: readonly string[];
  @SchemaField({}, words) readonly imageSizes: readonly string[];
  @SchemaField({ optional: true, about: 'The values of `quality`, the default first.' }, words)
  readonly qualities?: readonly string[];
  @SchemaField({ about: 'The seconds it can make.' }, { type: 'array', items: { type: 'integer' } })
  readonly durations: readonly number[];
  @ObjectField(() => MediaPrices) readonly pricing: MediaPrices;
}

const RATE = { max: 20, optional: true } as const;

/** The rates of tokens that do not cost as much as other input or output. */
class FurtherRates {
  @TextField({ ...RATE, about: 'USD per million input tokens that come from the cache of the maker.' })
  readonly cacheReadUsdPerMtok?: string;
  @TextField({ ...RATE, about: 'USD per million input tokens that go into the cache of the maker.' })
  readonly cacheWriteUsdPerMtok?: string;
  @TextField({ ...RATE, about: 'The same for tokens that the cache keeps for an hour.' })
  readonly cacheWrite1hUsdPerMtok?: string;
  @TextField({ ...RATE, about: 'USD per million input tokens of images.' })
  readonly inputImageUsdPerMtok?: string;
  @TextField({ ...RATE, about: 'USD per million input tokens of sound.' })
  readonly inputAudioUsdPerMtok?: string;
  @TextField({ ...RATE, about: 'USD per million output tokens of sound.' })
  readonly outputAudioUsdPerMtok?: string;
}

export class RateStep extends FurtherRates {
  @AmountField({
    min: 1,
    about: 'If the whole input has more tokens, these rates hold for all tokens of the call.',
  })
  readonly tokens: number;
  @TextField(RATE) readonly inputUsdPerMtok?: string;
  @TextField(RATE) readonly outputUsdPerMtok?: string;
}

export class TextModelAnswer extends IntersectionType(ModelLife, FurtherRates) {
  @TextField({ max: 100, about: 'Use it as `model`.' }) readonly id: string;
  @TextField({ max: 100 }) readonly name: string;
  @TextField({ max: 20, about: 'Catalog rate, USD per million input tokens.' })
  readonly inputUsdPerMtok: string;
  @TextField({ max: 20, about: 'Catalog rate, USD per million output tokens.' })
  readonly outputUsdPerMtok: string;
  @ListField(() => RateStep, { optional: true, about: 'The rates that change with the length of the input.' })
  readonly above?: readonly RateStep[];
  @TextField({ max: 20, about: 'The price on POST /v1/agent/chat per million input tokens.' })
  readonly chatInputUsdPerMtok: string;
  @TextField({ max: 20, about: 'The price on POST /v1/agent/chat per million output tokens.' })
  readonly chatOutputUsdPerMtok: string;
  @AmountField({ min: 1, optional: true, about: 'The most tokens of a conversation, with its answer.' })
  readonly contextTokens?: number;
  @AmountField({
    min: 1,
    optional: true,
    about: 'The most tokens of an answer. A call without a limit may use all of them.',
  })
  readonly maxOutputTokens?: number;
  @FlagField({ optional: true }) readonly reasoning?: boolean;
  @FlagField({ optional: true }) readonly vision?: boolean;
  @SchemaField({ about: 'The kinds of input that it reads.' }, words) readonly inputs: readonly string[];
  @FlagField({ optional: true, about: 'It can call tools. Absent if the service does not know it.' })
  readonly tools?: boolean;
  @FlagField({ optional: true }) readonly openWeights?: boolean;
  @FlagField({ optional: true, about: 'Whether it belongs to the private models.' })
  readonly private?: boolean;
  @FlagField({ optional: true }) readonly default?: boolean;
}

export class AudioPrices {
  @ChoiceField(['million_characters', 'hour'], { about: 'What the price is for.' }) readonly unit: string;
  @AmountField({
    min: 1,
    about: 'Retail micro-USD of the unit. A call costs its share; a second that has begun counts whole.',
  })
  readonly priceMicro: number;
  @AmountField({ about: 'The least price of a call.' })
  readonly leastMicro: number;
}

export class AudioModelAnswer extends ModelLife {
  @TextField({ max: 100, about: 'Use it as `model`.' }) readonly id: string;
  @TextField({ max: 100 }) readonly name: string;
  @ChoiceField(AUDIO_KINDS, { about: '`speech` reads a text out, `transcription` writes a recording down.' })
  readonly kind: string;
  @FlagField({ optional: true, about: 'The default of its kind.' }) readonly default?: boolean;
  @SchemaField({ optional: true, about: 'Of speech.' }, words) readonly voices?: readonly string[];
  @SchemaField({ optional: true, about: 'Of speech: the values of `response_format`.' }, words)
  readonly formats?: readonly string[];
  @ObjectField(() => AudioPrices) readonly pricing: AudioPrices;
}

export class ModelsAnswer {
  @ListField(() => MediaModelAnswer) readonly models: readonly MediaModelAnswer[];
  @ListField(() => TextModelAnswer) readonly textModels: readonly TextModelAnswer[];
  @ListField(() => AudioModelAnswer) readonly audioModels: readonly AudioModelAnswer[];
}
