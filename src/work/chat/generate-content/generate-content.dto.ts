import { ApiSchema } from '@nestjs/swagger';

import type { Fields } from '#kernel/json';
import { PaidBody } from '#money/billing/calls/paid-body';
import {
  AmountField,
  ListField,
  ObjectField,
  SchemaField,
  TextField,
  WholeField,
} from '#platform/http/routes/fields';
import { LIST, OBJECT, TOKEN_LIMIT } from '../compatible/body-fields';

@ApiSchema({ name: 'GenerateContentTurn' })
export class GenerateContentTurn {
  @SchemaField(
    { optional: true, about: 'Without it, `user`.' },
    { enum: ['user', 'model', 'function'], type: 'string' },
  )
  readonly role?: 'user' | 'model' | 'function';
  @SchemaField({ about: 'Each is text, inlineData, fileData, functionCall or functionResponse.' }, LIST)
  readonly parts: readonly unknown[];
}

/** The known fields. Any other field is ignored, and named in the header `X-Ignored`. */
@ApiSchema({ name: 'GenerateContentBody' })
export class GenerateContentBody extends PaidBody {
  @TextField({
    min: 1,
    max: 100,
    optional: true,
    about: 'Only for a quote: a call names its model in its path.',
  })
  readonly model?: string;
  @ListField(() => GenerateContentTurn, { min: 1 })
  readonly contents: readonly GenerateContentTurn[];
  @SchemaField({ optional: true, about: 'Texts that come before the conversation.' }, OBJECT)
  readonly systemInstruction?: Fields;
  @SchemaField({ optional: true, about: 'Your own functions that the model may call.' }, LIST)
  readonly tools?: readonly unknown[];
  @SchemaField({ optional: true }, OBJECT) readonly toolConfig?: Fields;
  @SchemaField(
    { optional: true, about: `Limits, temperature, schema and effort. ${TOKEN_LIMIT.about}` },
    OBJECT,
  )
  readonly generationConfig?: Fields;
  @TextField({ max: 500, optional: true, about: 'Not served: leave it out.' })
  readonly cachedContent?: string;
}

const ANSWERED = { type: 'object', additionalProperties: true };

@ApiSchema({ name: 'GenerateContentCandidate' })
export class GenerateContentCandidate {
  @SchemaField(
    { about: 'Its parts are text and functionCall.' },
    {
      type: 'object',
      required: ['role', 'parts'],
      properties: { role: { const: 'model' }, parts: { type: 'array', items: ANSWERED } },
    },
  )
  readonly content: Fields;
  @TextField({ max: 40 }) readonly finishReason: string;
  @WholeField({ min: 0, max: 0 }) readonly index: number;
}

@ApiSchema({ name: 'GenerateContentUsage' })
export class GenerateContentUsage {
  @AmountField() readonly promptTokenCount: number;
  @AmountField({ about: 'Tokens of thoughts are among them.' })
  readonly candidatesTokenCount: number;
  @AmountField() readonly cachedContentTokenCount: number;
  @AmountField() readonly totalTokenCount: number;
}

@ApiSchema({ name: 'GenerateContentAnswer' })
export class GenerateContentAnswer {
  @ListField(() => GenerateContentCandidate) readonly candidates: readonly GenerateContentCandidate[];
  @ObjectField(() => GenerateContentUsage) readonly usageMetadata: GenerateContentUsage;
  @TextField({ max: 100 }) readonly modelVersion: string;
  @TextField({ max: 60, about: 'The charge; GET /v1/agent/charges/{id} shows it.' })
  readonly responseId: string;
}
