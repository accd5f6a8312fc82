import { ApiSchema } from '@nestjs/swagger';

import { PaidBody } from '../../billing/calls/paid-body';
import {
  ListField,
  ObjectField,
  SchemaField,
  TextField,
  WholeField,
} from '../../platform/http/routes/fields';
import { TOKEN_LIMIT } from '../compatible/translated';

const text = { type: 'string' };
const texts = { type: 'array', items: text };

/**
 * A part has one of these fields. The service drops fields that only Google's models know, such as thought signatures.
 */
const part = {
  anyOf: [
    { type: 'object', required: ['text'], properties: { text, thought: { type: 'boolean' } } },
    {
      type: 'object',
      required: ['inlineData'],
      properties: {
        inlineData: {
          type: 'object',
          required: ['mimeType', 'data'],
          properties: {
            mimeType: { type: 'string', pattern: '^image/[a-z0-9.+-]{1,40}$' },
            data: { type: 'string', minLength: 1 },
          },
        },
      },
    },
    {
      type: 'object',
      required: ['fileData'],
      properties: {
        fileData: {
          type: 'object',
          required: ['fileUri'],
          properties: { mimeType: text, fileUri: { type: 'string', minLength: 1 } },
        },
      },
    },
    {
      type: 'object',
      required: ['functionCall'],
      properties: {
        functionCall: {
          type: 'object',
          required: ['name'],
          properties: {
            id: { type: 'string', maxLength: 200 },
            name: { type: 'string', maxLength: 200 },
            args: { type: 'object' },
          },
        },
      },
    },
    {
      type: 'object',
      required: ['functionResponse'],
      properties: {
        functionResponse: {
          type: 'object',
          required: ['name', 'response'],
          properties: {
            id: { type: 'string', maxLength: 200 },
            name: { type: 'string', maxLength: 200 },
            response: { type: 'object' },
          },
        },
      },
    },
  ],
};

const parts = { type: 'array', minItems: 1, maxItems: 100, items: part };

const instruction = {
  type: 'object',
  required: ['parts'],
  properties: {
    parts: {
      type: 'array',
      maxItems: 50,
      items: { type: 'object', required: ['text'], properties: { text } },
    },
  },
};

/** Only the caller's own functions are allowed. A tool that runs at a provider does work that no token count shows. */
const tools = {
  type: 'array',
  maxItems: 128,
  items: {
    type: 'object',
    required: ['functionDeclarations'],
    properties: {
      functionDeclarations: {
        type: 'array',
        maxItems: 128,
        items: {
          type: 'object',
          required: ['name'],
          properties: {
            name: { type: 'string', maxLength: 200 },
            description: text,
            parameters: { type: 'object' },
            parametersJsonSchema: { type: 'object' },
          },
        },
      },
    },
    additionalProperties: false,
  },
};

const toolConfig = {
  type: 'object',
  properties: {
    functionCallingConfig: {
      type: 'object',
      properties: {
        mode: { enum: ['AUTO', 'ANY', 'NONE'] },
        allowedFunctionNames: { ...texts, maxItems: 128 },
      },
    },
  },
};

const generationConfig = {
  type: 'object',
  properties: {
    maxOutputTokens: { type: 'integer', minimum: TOKEN_LIMIT.min, maximum: TOKEN_LIMIT.max },
    temperature: { type: 'number', minimum: 0, maximum: 2 },
    topP: { type: 'number', minimum: 0, maximum: 1 },
    frequencyPenalty: { type: 'number', minimum: -2, maximum: 2 },
    presencePenalty: { type: 'number', minimum: -2, maximum: 2 },
    seed: { type: 'integer' },
    stopSequences: { ...texts, maxItems: 4 },
    candidateCount: { const: 1 },
    responseMimeType: { enum: ['text/plain', 'application/json'] },
    responseSchema: { type: 'object' },
    responseJsonSchema: { type: 'object' },
    thinkingConfig: {
      type: 'object',
      properties: {
        includeThoughts: { type: 'boolean' },
        thinkingBudget: { type: 'integer', minimum: -1 },
        thinkingLevel: { enum: ['MINIMAL', 'LOW', 'MEDIUM', 'HIGH'] },
      },
    },
  },
};

@ApiSchema({ name: 'GenerateContentTurn' })
export class GenerateContentTurn {
  @SchemaField(
    { optional: true, about: 'Without it, `user`.' },
    { enum: ['user', 'model', 'function'], type: 'string' },
  )
  readonly role?: 'user' | 'model' | 'function';
  @SchemaField({ about: 'Each is text, inlineData, fileData, functionCall or functionResponse.' }, parts)
  readonly parts: readonly object[];
}

/** The known fields. The service neither counts nor passes on any other field. */
@ApiSchema({ name: 'GenerateContentBody' })
export class GenerateContentBody extends PaidBody {
  @TextField({
    min: 1,
    max: 100,
    optional: true,
    about: 'Only for a quote: a call names its model in its path.',
  })
  readonly model?: string;
  @ListField(() => GenerateContentTurn, { min: 1, max: 200 })
  readonly contents: readonly GenerateContentTurn[];
  @SchemaField({ optional: true, about: 'Texts that come before the conversation.' }, instruction)
  readonly systemInstruction?: object;
  @SchemaField({ optional: true, about: 'Your own functions that the model may call.' }, tools)
  readonly tools?: readonly object[];
  @SchemaField({ optional: true }, toolConfig) readonly toolConfig?: object;
  @SchemaField(
    { optional: true, about: `Limits, temperature, schema and effort. ${TOKEN_LIMIT.about}` },
    generationConfig,
  )
  readonly generationConfig?: object;
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
  readonly content: object;
  @TextField({ max: 40 }) readonly finishReason: string;
  @WholeField({ min: 0, max: 0 }) readonly index: number;
}

const COUNT = { min: 0, max: Number.MAX_SAFE_INTEGER };

@ApiSchema({ name: 'GenerateContentUsage' })
export class GenerateContentUsage {
  @WholeField(COUNT) readonly promptTokenCount: number;
  @WholeField({ ...COUNT, about: 'Tokens of thoughts are among them.' })
  readonly candidatesTokenCount: number;
  @WholeField(COUNT) readonly cachedContentTokenCount: number;
  @WholeField(COUNT) readonly totalTokenCount: number;
}

@ApiSchema({ name: 'GenerateContentAnswer' })
export class GenerateContentAnswer {
  @ListField(() => GenerateContentCandidate) readonly candidates: readonly GenerateContentCandidate[];
  @ObjectField(() => GenerateContentUsage) readonly usageMetadata: GenerateContentUsage;
  @TextField({ max: 100 }) readonly modelVersion: string;
  @TextField({ max: 60, about: 'The charge; GET /v1/agent/charges/{id} shows it.' })
  readonly responseId: string;
}
