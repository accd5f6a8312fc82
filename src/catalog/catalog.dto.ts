import { MEDIA_MODES } from '../providers/media-mode';
import {
  ChoiceField,
  FlagField,
  ListField,
  ObjectField,
  SchemaField,
  TextField,
  WholeField,
} from '../platform/http/routes/fields';

const words = { type: 'array', items: { type: 'string' } };

export class MediaPrices {
  @ChoiceField(['image', 'second'], { about: 'What the price is for.' }) readonly unit: string;
  @SchemaField(
    { about: 'Retail micro-USD per unit, by resolution or image size.', example: { default: 30770 } },
    { type: 'object', additionalProperties: { type: 'integer', minimum: 1 } },
  )
  readonly priceMicro: Readonly<Record<string, number>>;
}

class ModelLife {
  @SchemaField({ optional: true, about: 'Further ids of the model.' }, words)
  readonly aliases?: readonly string[];
  @TextField({ max: 10, optional: true, about: 'From this day (UTC) on it is sold no more.' })
  readonly retiresOn?: string;
  @TextField({ max: 100, optional: true, about: 'The model to use instead of a retired one.' })
  readonly replacedBy?: string;
}

export class MediaModelAnswer extends ModelLife {
  @TextField({ max: 100, about: 'Use it as `modelId`, or as `model` on the compatible routes.' })
  readonly id: string;
  @TextField({ max: 100 }) readonly name: string;
  @ChoiceField(MEDIA_MODES, { about: 'What it makes from what: `t2v` is text to video.' })
  readonly mode: string;
  @FlagField({ optional: true, about: 'Marks the private model line.' }) readonly private?: boolean;
  @FlagField({ optional: true, about: 'The default of its mode.' }) readonly default?: boolean;
  @FlagField({ about: 'Whether it can make sound.' }) readonly audio: boolean;
  @SchemaField({}, words) readonly aspectRatios: readonly string[];
  @SchemaField({}, words) readonly resolutions: readonly string[];
  @SchemaField({}, words) readonly imageSizes: readonly string[];
  @SchemaField({ about: 'The seconds it can make.' }, { type: 'array', items: { type: 'integer' } })
  readonly durations: readonly number[];
  @ObjectField(() => MediaPrices) readonly pricing: MediaPrices;
}

export class TextModelAnswer extends ModelLife {
  @TextField({ max: 100, about: 'Use it as `model`.' }) readonly id: string;
  @TextField({ max: 100 }) readonly name: string;
  @TextField({ max: 20, about: 'Catalog rate, USD per million input tokens.' })
  readonly inputUsdPerMtok: string;
  @TextField({ max: 20, about: 'Catalog rate, USD per million output tokens.' })
  readonly outputUsdPerMtok: string;
  @TextField({ max: 20, about: 'What POST /v1/agent/chat charges per million input tokens.' })
  readonly chatInputUsdPerMtok: string;
  @TextField({ max: 20, about: 'What POST /v1/agent/chat charges per million output tokens.' })
  readonly chatOutputUsdPerMtok: string;
  @FlagField({ optional: true }) readonly reasoning?: boolean;
  @FlagField({ optional: true }) readonly vision?: boolean;
  @FlagField({ optional: true }) readonly openWeights?: boolean;
  @FlagField({ optional: true }) readonly default?: boolean;
}

export class ModelsAnswer {
  @ListField(() => MediaModelAnswer) readonly models: readonly MediaModelAnswer[];
  @ListField(() => TextModelAnswer) readonly textModels: readonly TextModelAnswer[];
}

export class ListedModel {
  @TextField({ max: 100 }) readonly id: string;
  @ChoiceField(['model']) readonly object: string;
  @WholeField({ min: 0, max: Number.MAX_SAFE_INTEGER }) readonly created: number;
  @TextField({ max: 100 }) readonly owned_by: string;
}

export class ModelListAnswer {
  @ChoiceField(['list']) readonly object: string;
  @ListField(() => ListedModel) readonly data: readonly ListedModel[];
}
