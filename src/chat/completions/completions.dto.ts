import { ApiSchema } from '@nestjs/swagger';

import { PaidBody } from '../../billing/calls/paid-body';
import { CHAT_TOKENS_MAX } from '../../catalog/chat-pricing';
import {
  ChoiceField,
  FlagField,
  ListField,
  NumberField,
  ObjectField,
  SchemaField,
  TextField,
  WholeField,
} from '../../platform/http/routes/fields';

const content = {
  anyOf: [
    { type: 'string' },
    { type: 'null' },
    {
      type: 'array',
      minItems: 1,
      maxItems: 50,
      items: {
        anyOf: [
          {
            type: 'object',
            required: ['type', 'text'],
            properties: { type: { const: 'text' }, text: { type: 'string' } },
          },
          {
            type: 'object',
            required: ['type', 'image_url'],
            properties: {
              type: { const: 'image_url' },
              image_url: {
                type: 'object',
                required: ['url'],
                properties: {
                  url: { type: 'string', minLength: 1 },
                  detail: { type: 'string', enum: ['auto', 'low', 'high'] },
                },
              },
            },
          },
        ],
      },
    },
  ],
};

/** A schema with a list of types would make the generator of the OpenAPI document declare an array. */
const TEXT_OR_NULL = { oneOf: [{ type: 'string' }, { type: 'null' }] };

const toolCalls = {
  type: 'array',
  maxItems: 128,
  items: {
    type: 'object',
    required: ['function'],
    properties: {
      id: { type: 'string', maxLength: 200 },
      type: { const: 'function' },
      function: {
        type: 'object',
        required: ['name', 'arguments'],
        properties: { name: { type: 'string', maxLength: 200 }, arguments: { type: 'string' } },
      },
    },
  },
};

/** Only the caller's own functions are allowed. A tool that runs at a provider does work that no token count shows. */
const tools = {
  type: 'array',
  maxItems: 128,
  items: {
    type: 'object',
    required: ['type', 'function'],
    properties: {
      type: { const: 'function' },
      function: {
        type: 'object',
        required: ['name'],
        properties: {
          name: { type: 'string', maxLength: 200 },
          description: { type: 'string' },
          parameters: { type: 'object' },
          strict: { type: ['boolean', 'null'] },
        },
      },
    },
  },
};

const toolChoice = {
  anyOf: [
    { type: 'string', enum: ['none', 'auto', 'required'] },
    {
      type: 'object',
      required: ['function'],
      properties: {
        function: {
          type: 'object',
          required: ['name'],
          properties: { name: { type: 'string', maxLength: 200 } },
        },
      },
    },
  ],
};

const responseFormat = {
  type: 'object',
  required: ['type'],
  properties: {
    type: { type: 'string', enum: ['text', 'json_object', 'json_schema'] },
    json_schema: { type: 'object' },
  },
};

@ApiSchema({ name: 'StudioMessage' })
export class CompletionMessage {
  @ChoiceField(['system', 'developer', 'user', 'assistant', 'tool']) readonly role: string;
  @SchemaField(
    { optional: true, about: 'Text, or parts of text and images for models with vision.' },
    content,
  )
  readonly content?: unknown;
  @SchemaField({ optional: true }, toolCalls) readonly tool_calls?: readonly object[];
  @TextField({ max: 200, optional: true }) readonly tool_call_id?: string;
  @TextField({ max: 100, optional: true }) readonly name?: string;
  @SchemaField(
    {
      optional: true,
      about: 'The earlier reasoning of the model, for models that need to receive it again.',
    },
    TEXT_OR_NULL,
  )
  readonly reasoning_content?: string | null;
  @SchemaField({ optional: true }, TEXT_OR_NULL) readonly refusal?: string | null;
}

export class StreamOptions {
  @FlagField({ optional: true, about: 'Send the real token counts and the charge at the end.' })
  readonly include_usage?: boolean;
}

/** The known fields. The service neither counts nor passes on any other field. */
@ApiSchema({ name: 'StudioBody' })
export class CompletionBody extends PaidBody {
  @TextField({ min: 1, max: 100, optional: true, about: 'A text model; without it the default one.' })
  readonly model?: string;
  @ListField(() => CompletionMessage, { min: 1, max: 200 }) readonly messages: readonly CompletionMessage[];
  @WholeField({ min: 1, max: CHAT_TOKENS_MAX, optional: true, about: 'Default 1024.' })
  readonly max_tokens?: number;
  @WholeField({ min: 1, max: CHAT_TOKENS_MAX, optional: true, about: 'The newer name of max_tokens.' })
  readonly max_completion_tokens?: number;
  @NumberField({ min: 0, max: 2, optional: true }) readonly temperature?: number;
  @NumberField({ min: 0, max: 1, optional: true }) readonly top_p?: number;
  @NumberField({ min: -2, max: 2, optional: true }) readonly frequency_penalty?: number;
  @NumberField({ min: -2, max: 2, optional: true }) readonly presence_penalty?: number;
  @WholeField({ min: Number.MIN_SAFE_INTEGER, max: Number.MAX_SAFE_INTEGER, optional: true })
  readonly seed?: number;
  @ChoiceField(['low', 'medium', 'high'], { optional: true }) readonly reasoning_effort?: string;
  @FlagField({ optional: true }) readonly stream?: boolean;
  @ObjectField(() => StreamOptions, { optional: true }) readonly stream_options?: StreamOptions;
  @WholeField({ min: 1, max: 1, optional: true, about: 'Only 1 is supported.' }) readonly n?: number;
  @SchemaField({ optional: true, about: 'Your own functions that the model may call.' }, tools)
  readonly tools?: readonly object[];
  @SchemaField({ optional: true }, toolChoice) readonly tool_choice?: unknown;
  @FlagField({ optional: true }) readonly parallel_tool_calls?: boolean;
  @SchemaField({ optional: true, about: 'Structured outputs.' }, responseFormat)
  readonly response_format?: object;
  @SchemaField(
    { optional: true },
    { anyOf: [{ type: 'string' }, { type: 'array', maxItems: 4, items: { type: 'string' } }] },
  )
  readonly stop?: unknown;
}

@ApiSchema({ name: 'StudioUsage' })
export class CompletionUsage {
  @WholeField({ min: 0, max: Number.MAX_SAFE_INTEGER }) readonly prompt_tokens: number;
  @WholeField({ min: 0, max: Number.MAX_SAFE_INTEGER }) readonly completion_tokens: number;
  @WholeField({ min: 0, max: Number.MAX_SAFE_INTEGER }) readonly total_tokens: number;
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
  @WholeField({ min: 0, max: Number.MAX_SAFE_INTEGER }) readonly created: number;
  @TextField({ max: 100 }) readonly model: string;
  @ListField(() => CompletionChoice) readonly choices: readonly CompletionChoice[];
  @ObjectField(() => CompletionUsage) readonly usage: CompletionUsage;
}
