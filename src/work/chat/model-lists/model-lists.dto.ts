import { ApiSchema } from '@nestjs/swagger';

import type { ShownRates } from '#models/catalog/rates';
import {
  AmountField,
  ChoiceField,
  FlagField,
  ListField,
  SchemaField,
  TEXT_OR_NULL,
  TextField,
} from '#platform/http/routes/fields';

const WORDS = { type: 'array', items: { type: 'string' } };
const PRICES = { type: 'object', additionalProperties: true };
const CAPABILITY = {
  type: 'object',
  additionalProperties: { type: 'object', properties: { supported: { type: 'boolean' } } },
};

/** A model in OpenAI's shape. */
export class ListedModel {
  @TextField({ max: 100 }) readonly id: string;
  @ChoiceField(['model']) readonly object: string;
  @AmountField() readonly created: number;
  @TextField({ max: 100 }) readonly owned_by: string;
  @AmountField({ min: 1, optional: true, about: 'Of text models, like the fields below.' })
  readonly context_length?: number;
  @AmountField({ min: 1, optional: true }) readonly max_output_tokens?: number;
  @SchemaField({ optional: true }, WORDS) readonly input_modalities?: readonly string[];
  @SchemaField({ optional: true, about: '`tools` and `reasoning`, if the model has them.' }, WORDS)
  readonly supported_features?: readonly string[];
  @SchemaField({ optional: true, about: 'As in `GET /v1/agent/models`.' }, PRICES)
  readonly pricing?: ShownRates;
}

export class ModelListAnswer {
  @ChoiceField(['list']) readonly object: string;
  @ListField(() => ListedModel) readonly data: readonly ListedModel[];
}

/** A model in Anthropic's shape, for clients that send `anthropic-version`. */
@ApiSchema({ name: 'MessagesModel' })
export class MessagesModel {
  @ChoiceField(['model']) readonly type: string;
  @TextField({ max: 100 }) readonly id: string;
  @TextField({ max: 100 }) readonly display_name: string;
  @TextField({ max: 30 }) readonly created_at: string;
  @AmountField({ min: 1, optional: true }) readonly max_input_tokens?: number;
  @AmountField({ min: 1, optional: true }) readonly max_tokens?: number;
  @SchemaField({ optional: true }, CAPABILITY)
  readonly capabilities?: Readonly<Record<string, { readonly supported: boolean }>>;
  @SchemaField({ about: 'As in `GET /v1/agent/models`.' }, PRICES) readonly pricing: ShownRates;
}

@ApiSchema({ name: 'MessagesModelList' })
export class MessagesModelList {
  @ListField(() => MessagesModel) readonly data: readonly MessagesModel[];
  @FlagField() readonly has_more: boolean;
  @SchemaField({}, TEXT_OR_NULL) readonly first_id: string | null;
  @SchemaField({}, TEXT_OR_NULL) readonly last_id: string | null;
}

/** A model in Google's shape. */
@ApiSchema({ name: 'GenerateContentModel' })
export class GenerateContentModel {
  @TextField({ max: 110 }) readonly name: string;
  @TextField({ max: 100 }) readonly displayName: string;
  @TextField({ max: 20 }) readonly version: string;
  @AmountField({ min: 1, optional: true }) readonly inputTokenLimit?: number;
  @AmountField({ min: 1, optional: true }) readonly outputTokenLimit?: number;
  @SchemaField({}, { type: 'array', items: { type: 'string' } })
  readonly supportedGenerationMethods: readonly string[];
  @FlagField({ optional: true }) readonly thinking?: boolean;
  @SchemaField({}, WORDS) readonly inputModalities: readonly string[];
  @FlagField({ optional: true }) readonly functionCalling?: boolean;
  @SchemaField({ about: 'As in `GET /v1/agent/models`.' }, PRICES) readonly pricing: ShownRates;
}

@ApiSchema({ name: 'GenerateContentModelList' })
export class GenerateContentModelList {
  @ListField(() => GenerateContentModel) readonly models: readonly GenerateContentModel[];
}
