import { ApiSchema } from '@nestjs/swagger';

import type { Fields } from '#kernel/json';
import { PaidBody } from '#money/billing/calls/paid-body';
import { LIST, OBJECT, TEXT, TEXT_OR_LIST, TOKEN_LIMIT, orNull } from '../compatible/body-fields';
import {
  AmountField,
  ChoiceField,
  FlagField,
  NumberField,
  ObjectField,
  SchemaField,
  TextField,
  WholeField,
} from '#platform/http/routes/fields';

/** The known fields. Any other field is ignored, and named in the header `X-Ignored`. */
@ApiSchema({ name: 'ResponsesBody' })
export class ResponsesBody extends PaidBody {
  @TextField({ min: 1, max: 100, optional: true, about: 'A text model; without it the default one.' })
  readonly model?: string;
  @SchemaField({ about: 'Text, or items: messages, calls of tools, their results, reasoning.' }, TEXT_OR_LIST)
  readonly input: unknown;
  @SchemaField({ optional: true }, orNull({ type: 'string' })) readonly instructions?: string | null;
  @WholeField({ ...TOKEN_LIMIT, optional: true, about: `Default: the model's maximum. ${TOKEN_LIMIT.about}` })
  readonly max_output_tokens?: number;
  @NumberField({ min: 0, max: 2, optional: true }) readonly temperature?: number;
  @NumberField({ min: 0, max: 1, optional: true }) readonly top_p?: number;
  @FlagField({ optional: true }) readonly stream?: boolean;
  @FlagField({ optional: true, about: 'Nothing is stored: leave it out, or send false.' })
  readonly store?: boolean;
  @SchemaField({ optional: true, about: 'Your own functions that the model may call.' }, LIST)
  readonly tools?: readonly unknown[];
  @SchemaField({ optional: true }, { oneOf: [TEXT, OBJECT] }) readonly tool_choice?: unknown;
  @FlagField({ optional: true }) readonly parallel_tool_calls?: boolean;
  @SchemaField({ optional: true, about: 'Structured outputs.' }, OBJECT) readonly text?: Fields;
  @SchemaField({ optional: true, about: 'For models that reason.' }, orNull(OBJECT))
  readonly reasoning?: Fields | null;
  @FlagField({ optional: true, about: 'Not served: leave it out, or send false.' })
  readonly background?: boolean;
  @SchemaField(
    { optional: true, about: 'Not served: send the whole conversation.' },
    orNull({ type: 'string' }),
  )
  readonly previous_response_id?: string | null;
  @SchemaField(
    { optional: true, about: 'Not served: send the whole conversation.' },
    { anyOf: [{ type: 'string' }, { type: 'object' }, { type: 'null' }] },
  )
  readonly conversation?: unknown;
  @SchemaField({ optional: true, about: 'Not served: send the words.' }, orNull({ type: 'object' }))
  readonly prompt?: Fields | null;
}

class InputDetails {
  @AmountField() readonly cached_tokens: number;
}

class OutputDetails {
  @AmountField({ about: 'Always 0: they are counted in output_tokens.' })
  readonly reasoning_tokens: number;
}

@ApiSchema({ name: 'ResponsesUsage' })
export class ResponsesUsage {
  @AmountField() readonly input_tokens: number;
  @ObjectField(() => InputDetails) readonly input_tokens_details: InputDetails;
  @AmountField() readonly output_tokens: number;
  @ObjectField(() => OutputDetails) readonly output_tokens_details: OutputDetails;
  @AmountField() readonly total_tokens: number;
}

const REASON = { type: 'object', required: ['reason'], properties: { reason: { type: 'string' } } };

const ITEM = {
  type: 'object',
  required: ['type'],
  properties: { type: { type: 'string' } },
  additionalProperties: true,
};

@ApiSchema({ name: 'ResponsesAnswer' })
export class ResponsesAnswer {
  @TextField({ max: 60, about: 'The charge; GET /v1/agent/charges/{id} shows it.' }) readonly id: string;
  @ChoiceField(['response']) readonly object: string;
  @AmountField() readonly created_at: number;
  @ChoiceField(['in_progress', 'completed', 'incomplete']) readonly status: string;
  @SchemaField({ about: 'The reason why the answer is incomplete.' }, orNull(REASON))
  readonly incomplete_details: Fields | null;
  @SchemaField({ about: 'Always null: a failed call is answered with an error instead.' }, { type: 'null' })
  readonly error: null;
  @TextField({ max: 100 }) readonly model: string;
  @SchemaField({ about: 'Items: message, function_call.' }, { type: 'array', items: ITEM })
  readonly output: readonly Fields[];
  @FlagField({ about: 'Always false: nothing is stored.' }) readonly store: boolean;
  @FlagField() readonly parallel_tool_calls: boolean;
  @SchemaField({}, { type: 'array', items: { type: 'object' } }) readonly tools: readonly unknown[];
  @SchemaField({}, { anyOf: [{ type: 'string' }, { type: 'object' }] }) readonly tool_choice: unknown;
  @SchemaField({}, { type: 'object' }) readonly metadata: Fields;
  @SchemaField({}, orNull({ type: 'string' })) readonly instructions: string | null;
  @SchemaField({}, orNull({ type: 'number' })) readonly temperature: number | null;
  @SchemaField({}, orNull({ type: 'number' })) readonly top_p: number | null;
  @ObjectField(() => ResponsesUsage, { optional: true }) readonly usage?: ResponsesUsage;
}
