import { ApiSchema } from '@nestjs/swagger';

import { PaidBody } from '#money/billing/calls/paid-body';
import type { Fields } from '#kernel/json';
import { EFFORTS } from '#models/conversation/conversation';
import { LIST, OBJECT, TEXT, TEXTS, TOKEN_LIMIT, orNull } from '../compatible/body-fields';
import {
  AmountField,
  ChoiceField,
  FlagField,
  ListField,
  NumberField,
  ObjectField,
  SchemaField,
  TextField,
  WholeField,
} from '#platform/http/routes/fields';

@ApiSchema({ name: 'StudioMessage' })
export class CompletionMessage {
  @ChoiceField(['system', 'developer', 'user', 'assistant', 'tool']) readonly role: string;
  @SchemaField(
    {
      optional: true,
      about: 'Text, or parts: text, image_url for models with vision, file for models that read documents.',
    },
    orNull(TEXT, LIST),
  )
  readonly content?: unknown;
  @SchemaField({ optional: true }, orNull(LIST)) readonly tool_calls?: readonly unknown[] | null;
  @TextField({ max: 256, optional: true }) readonly tool_call_id?: string;
  @TextField({ max: 256, optional: true }) readonly name?: string;
  @SchemaField(
    {
      optional: true,
      about: 'The earlier reasoning of the model, for models that need to receive it again.',
    },
    orNull(TEXT),
  )
  readonly reasoning_content?: string | null;
  @SchemaField({ optional: true }, orNull(TEXT)) readonly refusal?: string | null;
}

export class StreamOptions {
  @FlagField({ optional: true, about: 'Send the real token counts and the charge at the end.' })
  readonly include_usage?: boolean;
}

/** The known fields. Any other field is ignored, and named in the header `X-Ignored`. */
@ApiSchema({ name: 'StudioBody' })
export class CompletionBody extends PaidBody {
  @TextField({ min: 1, max: 100, optional: true, about: 'A text model; without it the default one.' })
  readonly model?: string;
  @ListField(() => CompletionMessage, { min: 1 }) readonly messages: readonly CompletionMessage[];
  @WholeField({ ...TOKEN_LIMIT, optional: true, about: `Default: the model's maximum. ${TOKEN_LIMIT.about}` })
  readonly max_tokens?: number;
  @WholeField({ ...TOKEN_LIMIT, optional: true, about: 'The newer name of max_tokens.' })
  readonly max_completion_tokens?: number;
  @NumberField({ min: 0, max: 2, optional: true }) readonly temperature?: number;
  @NumberField({ min: 0, max: 1, optional: true }) readonly top_p?: number;
  @NumberField({ min: -2, max: 2, optional: true }) readonly frequency_penalty?: number;
  @NumberField({ min: -2, max: 2, optional: true }) readonly presence_penalty?: number;
  @WholeField({ min: Number.MIN_SAFE_INTEGER, max: Number.MAX_SAFE_INTEGER, optional: true })
  readonly seed?: number;
  @ChoiceField(EFFORTS, { optional: true }) readonly reasoning_effort?: string;
  @FlagField({ optional: true }) readonly stream?: boolean;
  @ObjectField(() => StreamOptions, { optional: true }) readonly stream_options?: StreamOptions;
  @WholeField({ min: 1, max: 1, optional: true, about: 'Only 1 is supported.' }) readonly n?: number;
  @SchemaField({ optional: true, about: 'Your own functions that the model may call.' }, LIST)
  readonly tools?: readonly unknown[];
  @SchemaField({ optional: true }, { oneOf: [TEXT, OBJECT] }) readonly tool_choice?: unknown;
  @FlagField({ optional: true }) readonly parallel_tool_calls?: boolean;
  @SchemaField({ optional: true, about: 'Structured outputs.' }, OBJECT)
  readonly response_format?: Fields;
  @SchemaField({ optional: true }, orNull(TEXT, TEXTS))
  readonly stop?: unknown;
}

class PromptDetails {
  @AmountField() readonly cached_tokens: number;
}

@ApiSchema({ name: 'StudioUsage' })
export class CompletionUsage {
  @AmountField() readonly prompt_tokens: number;
  @AmountField() readonly completion_tokens: number;
  @AmountField() readonly total_tokens: number;
  @ObjectField(() => PromptDetails, { optional: true }) readonly prompt_tokens_details?: PromptDetails;
}

const ANSWERED = {
  type: 'object',
  required: ['role'],
  properties: {
    role: { type: 'string' },
    content: { oneOf: [{ type: 'string' }, { type: 'null' }] },
    tool_calls: { type: 'array', items: { type: 'object' } },
  },
  additionalProperties: true,
};

@ApiSchema({ name: 'StudioChoice' })
export class CompletionChoice {
  @WholeField({ min: 0, max: 0 }) readonly index: number;
  @SchemaField({ about: 'Text, or the calls of tools that the model wants made.' }, ANSWERED)
  readonly message: Readonly<Record<string, unknown>>;
  @TextField({ max: 40 }) readonly finish_reason: string;
}

@ApiSchema({ name: 'StudioAnswer' })
export class CompletionAnswer {
  @TextField({ max: 60, about: 'The charge; GET /v1/agent/charges/{id} shows it.' }) readonly id: string;
  @ChoiceField(['chat.completion']) readonly object: string;
  @AmountField() readonly created: number;
  @TextField({ max: 100 }) readonly model: string;
  @ListField(() => CompletionChoice) readonly choices: readonly CompletionChoice[];
  @ObjectField(() => CompletionUsage) readonly usage: CompletionUsage;
}
