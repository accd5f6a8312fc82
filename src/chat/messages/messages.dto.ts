import { ApiSchema } from '@nestjs/swagger';

import { PaidBody } from '../../billing/calls/paid-body';
import { TOKEN_LIMIT } from '../compatible/translated';
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

const text = {
  type: 'object',
  required: ['type', 'text'],
  properties: { type: { const: 'text' }, text: { type: 'string' } },
};

const image = {
  type: 'object',
  required: ['type', 'source'],
  properties: {
    type: { const: 'image' },
    source: {
      anyOf: [
        {
          type: 'object',
          required: ['type', 'media_type', 'data'],
          properties: {
            type: { const: 'base64' },
            media_type: { type: 'string', pattern: '^image/[a-z0-9.+-]{1,40}$' },
            data: { type: 'string', minLength: 1 },
          },
        },
        {
          type: 'object',
          required: ['type', 'url'],
          properties: { type: { const: 'url' }, url: { type: 'string', minLength: 1 } },
        },
      ],
    },
  },
};

const toolUse = {
  type: 'object',
  required: ['type', 'id', 'name', 'input'],
  properties: {
    type: { const: 'tool_use' },
    id: { type: 'string', maxLength: 200 },
    name: { type: 'string', maxLength: 200 },
    input: { type: 'object' },
  },
};

const toolResult = {
  type: 'object',
  required: ['type', 'tool_use_id'],
  properties: {
    type: { const: 'tool_result' },
    tool_use_id: { type: 'string', maxLength: 200 },
    content: {
      anyOf: [{ type: 'string' }, { type: 'array', maxItems: 50, items: { anyOf: [text, image] } }],
    },
    is_error: { type: 'boolean' },
  },
};

/** Thoughts of an earlier answer. The service accepts and drops them. */
const thought = {
  type: 'object',
  required: ['type'],
  properties: { type: { enum: ['thinking', 'redacted_thinking'] } },
};

const content = {
  anyOf: [
    { type: 'string' },
    {
      type: 'array',
      minItems: 1,
      maxItems: 100,
      items: { anyOf: [text, image, toolUse, toolResult, thought] },
    },
  ],
};

const system = { anyOf: [{ type: 'string' }, { type: 'array', maxItems: 50, items: text }] };

/** Only the caller's own tools are allowed. A tool that runs at a provider does work that no token count shows. */
const tools = {
  type: 'array',
  maxItems: 128,
  items: {
    type: 'object',
    required: ['name', 'input_schema'],
    properties: {
      type: { const: 'custom' },
      name: { type: 'string', maxLength: 200 },
      description: { type: 'string' },
      input_schema: { type: 'object' },
      strict: { type: 'boolean' },
    },
  },
};

const toolChoice = {
  type: 'object',
  required: ['type'],
  properties: {
    type: { enum: ['auto', 'any', 'tool', 'none'] },
    name: { type: 'string', maxLength: 200 },
    disable_parallel_tool_use: { type: 'boolean' },
  },
};

const outputConfig = {
  type: 'object',
  properties: {
    effort: { enum: ['low', 'medium', 'high'] },
    format: {
      type: 'object',
      required: ['type', 'schema'],
      properties: { type: { const: 'json_schema' }, schema: { type: 'object' } },
    },
  },
};

const thinking = {
  type: 'object',
  required: ['type'],
  properties: {
    type: { enum: ['enabled', 'adaptive', 'disabled'] },
    budget_tokens: { type: 'integer', minimum: 1 },
  },
};

@ApiSchema({ name: 'MessageParam' })
export class MessageParam {
  @ChoiceField(['user', 'assistant']) readonly role: 'user' | 'assistant';
  @SchemaField({ about: 'Text, or blocks: text, image, tool_use, tool_result, thinking.' }, content)
  readonly content: unknown;
}

/** The known fields. The service neither counts nor passes on any other field. */
@ApiSchema({ name: 'MessagesBody' })
export class MessagesBody extends PaidBody {
  @TextField({ min: 1, max: 100, optional: true, about: 'A text model; without it the default one.' })
  readonly model?: string;
  @WholeField(TOKEN_LIMIT) readonly max_tokens: number;
  @ListField(() => MessageParam, { min: 1, max: 200 }) readonly messages: readonly MessageParam[];
  @SchemaField({ optional: true, about: 'Text, or blocks of text.' }, system) readonly system?: unknown;
  @NumberField({ min: 0, max: 1, optional: true }) readonly temperature?: number;
  @NumberField({ min: 0, max: 1, optional: true }) readonly top_p?: number;
  @WholeField({ min: 0, max: 1_000_000, optional: true, about: 'Not served: leave it out.' })
  readonly top_k?: number;
  @SchemaField({ optional: true }, { type: 'array', maxItems: 4, items: { type: 'string' } })
  readonly stop_sequences?: readonly string[];
  @FlagField({ optional: true }) readonly stream?: boolean;
  @SchemaField({ optional: true, about: 'Your own tools that the model may call.' }, tools)
  readonly tools?: readonly object[];
  @SchemaField({ optional: true }, toolChoice) readonly tool_choice?: object;
  @SchemaField({ optional: true, about: 'Effort, and a schema that the answer follows.' }, outputConfig)
  readonly output_config?: object;
  @SchemaField({ optional: true, about: 'For models that reason.' }, thinking) readonly thinking?: object;
  @SchemaField(
    { optional: true, about: 'Not served: leave it out.' },
    { type: 'array', items: { type: 'object' } },
  )
  readonly mcp_servers?: readonly object[];
}

@ApiSchema({ name: 'MessagesUsage' })
export class MessagesUsage {
  @WholeField({ min: 0, max: Number.MAX_SAFE_INTEGER }) readonly input_tokens: number;
  @WholeField({ min: 0, max: Number.MAX_SAFE_INTEGER }) readonly output_tokens: number;
  @WholeField({ min: 0, max: Number.MAX_SAFE_INTEGER }) readonly cache_read_input_tokens: number;
  @WholeField({ min: 0, max: Number.MAX_SAFE_INTEGER }) readonly cache_creation_input_tokens: number;
}

const ANSWERED = {
  type: 'object',
  required: ['type'],
  properties: { type: { type: 'string' } },
  additionalProperties: true,
};

@ApiSchema({ name: 'MessagesAnswer' })
export class MessagesAnswer {
  @TextField({ max: 60, about: 'The charge; GET /v1/agent/charges/{id} shows it.' }) readonly id: string;
  @ChoiceField(['message']) readonly type: string;
  @ChoiceField(['assistant']) readonly role: string;
  @TextField({ max: 100 }) readonly model: string;
  @SchemaField({ about: 'Blocks: text, tool_use, thinking.' }, { type: 'array', items: ANSWERED })
  readonly content: readonly object[];
  @TextField({ max: 40 }) readonly stop_reason: string;
  @SchemaField({ about: 'Always null: no model reports which sequence it was.' }, { type: 'null' })
  readonly stop_sequence: null;
  @ObjectField(() => MessagesUsage) readonly usage: MessagesUsage;
}
