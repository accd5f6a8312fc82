import { ApiSchema } from '@nestjs/swagger';

import type { Fields } from '#kernel/json';
import { PaidBody } from '#money/billing/calls/paid-body';
import { LIST, OBJECT, TEXTS, TEXT_OR_LIST, TOKEN_LIMIT } from '../compatible/body-fields';
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

@ApiSchema({ name: 'MessageParam' })
export class MessageParam {
  @ChoiceField(['user', 'assistant', 'system']) readonly role: 'user' | 'assistant' | 'system';
  @SchemaField(
    { about: 'Text, or blocks: text, image, document, tool_use, tool_result, thinking, redacted_thinking.' },
    TEXT_OR_LIST,
  )
  readonly content: unknown;
}

/** The known fields. Any other field is ignored, and named in the header `X-Ignored`. */
@ApiSchema({ name: 'MessagesBody' })
export class MessagesBody extends PaidBody {
  @TextField({ min: 1, max: 100, optional: true, about: 'A text model; without it the default one.' })
  readonly model?: string;
  @WholeField(TOKEN_LIMIT) readonly max_tokens: number;
  @ListField(() => MessageParam, { min: 1 }) readonly messages: readonly MessageParam[];
  @SchemaField({ optional: true, about: 'Text, or blocks of text.' }, TEXT_OR_LIST) readonly system?: unknown;
  @NumberField({ min: 0, max: 1, optional: true }) readonly temperature?: number;
  @NumberField({ min: 0, max: 1, optional: true }) readonly top_p?: number;
  @WholeField({ min: 0, max: 1_000_000, optional: true })
  readonly top_k?: number;
  @SchemaField({ optional: true }, TEXTS)
  readonly stop_sequences?: readonly string[];
  @FlagField({ optional: true }) readonly stream?: boolean;
  @SchemaField({ optional: true, about: 'Your own tools that the model may call.' }, LIST)
  readonly tools?: readonly unknown[];
  @SchemaField({ optional: true }, OBJECT) readonly tool_choice?: Fields;
  @SchemaField({ optional: true, about: 'Effort, and a schema that the answer follows.' }, OBJECT)
  readonly output_config?: Fields;
  @SchemaField({ optional: true, about: 'For models that reason.' }, OBJECT) readonly thinking?: Fields;
  @SchemaField(
    { optional: true, about: 'Not served: leave it out.' },
    { type: 'array', items: { type: 'object' } },
  )
  readonly mcp_servers?: readonly Fields[];
}

@ApiSchema({ name: 'MessagesUsage' })
export class MessagesUsage {
  @AmountField() readonly input_tokens: number;
  @AmountField() readonly output_tokens: number;
  @AmountField() readonly cache_read_input_tokens: number;
  @AmountField() readonly cache_creation_input_tokens: number;
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
  readonly content: readonly Fields[];
  @TextField({ max: 40 }) readonly stop_reason: string;
  @SchemaField({ about: 'Always null: no model reports which sequence it was.' }, { type: 'null' })
  readonly stop_sequence: null;
  @ObjectField(() => MessagesUsage) readonly usage: MessagesUsage;
}
