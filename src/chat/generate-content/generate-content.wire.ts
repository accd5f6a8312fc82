import type { FastifyRequest } from 'fastify';

import { NotFound } from '../../kernel/app-error';
import { ifPresent, withoutAbsent } from '../../kernel/present';
import type { CompletionBody } from '../completions/completions.dto';
import type { WholeAnswer } from '../completions/completions.service';
import type { Meter } from '../completions/meter';
import { type ToolCall, argumentsOf, isText } from '../compatible/answered';
import {
  type Placed,
  type Translated,
  effortOfBudget,
  limitOf,
  refuse,
  translated,
} from '../compatible/translated';
import type {
  GenerateContentAnswer,
  GenerateContentBody,
  GenerateContentTurn,
  GenerateContentUsage,
} from './generate-content.dto';

interface Part {
  readonly text?: string;
  readonly thought?: boolean;
  readonly inlineData?: { readonly mimeType: string; readonly data: string };
  readonly fileData?: { readonly fileUri: string };
  readonly functionCall?: { readonly id?: string; readonly name: string; readonly args?: object };
  readonly functionResponse?: { readonly id?: string; readonly name: string; readonly response: object };
}

interface Declared {
  readonly name: string;
  readonly description?: string;
  readonly parameters?: object;
  readonly parametersJsonSchema?: object;
}

interface Config {
  readonly maxOutputTokens?: number;
  readonly temperature?: number;
  readonly topP?: number;
  readonly topK?: number;
  readonly frequencyPenalty?: number;
  readonly presencePenalty?: number;
  readonly seed?: number;
  readonly stopSequences?: readonly string[];
  readonly responseMimeType?: string;
  readonly responseSchema?: object;
  readonly responseJsonSchema?: object;
  readonly thinkingConfig?: Thinking;
}

interface Thinking {
  readonly includeThoughts?: boolean;
  readonly thinkingBudget?: number;
  readonly thinkingLevel?: string;
}

/** The model and the method that a path names, such as `lumen-flash:streamGenerateContent`. */
interface Asked {
  readonly model: string;
  readonly isStreamed: boolean;
}

const CALL = /^([\w.-]{1,100}):(generateContent|streamGenerateContent)$/;

/** Undefined for a quote, because its body names the model. */
export const askedIn = ({ params }: FastifyRequest): Asked | undefined => {
  const { call } = (params ?? {}) as { readonly call?: string };
  if (call === undefined) return undefined;
  const [, model, method] = CALL.exec(call) ?? [];
  if (model === undefined)
    throw new NotFound('A model has the methods generateContent and streamGenerateContent here.');
  return { model, isStreamed: method === 'streamGenerateContent' };
};

/** Google's schemas have type names in upper case; JSON Schema has them in lower case. */
const asJsonSchema = (schema: unknown): unknown => {
  if (Array.isArray(schema)) return schema.map(asJsonSchema);
  if (typeof schema !== 'object' || schema === null) return schema;
  return Object.fromEntries(
    Object.entries(schema).map(([name, value]: [string, unknown]) => [
      name,
      name === 'type' && typeof value === 'string' ? value.toLowerCase() : asJsonSchema(value),
    ]),
  );
};

const imageOf = ({ inlineData, fileData }: Part): string | undefined =>
  inlineData === undefined ? fileData?.fileUri : `data:${inlineData.mimeType};base64,${inlineData.data}`;

/**
 * Finds the function call that a result answers. A result without an id answers the first open call of its function.
 */
class OpenCalls {
  private readonly open: { readonly id: string; readonly name: string }[] = [];
  private named = 0;

  /** Adds a call. If the call has no id, it gets an id that is unique among the generated ids. */
  add(name: string, own: string | undefined): string {
    const id = own ?? `call_${(this.named += 1)}_${name}`;
    this.open.push({ id, name });
    return id;
  }

  take(name: string, id: string | undefined, at: string): string {
    const place = this.open.findIndex((call) => (id === undefined ? call.name === name : call.id === id));
    if (place < 0) refuse('This result belongs to no functionCall before it.', at);
    return this.open.splice(place, 1)[0]!.id;
  }
}

const placedOf =
  (calls: OpenCalls) =>
  (turn: GenerateContentTurn, index: number): readonly Placed[] => {
    const at = `contents[${index}]`;
    const parts = (turn.parts as readonly Part[]).map((part, n) => ({ part, at: `${at}.parts[${n}]` }));
    // The service accepts and drops the thoughts of an earlier answer.
    const spoken = parts.filter(
      ({ part }) => (part.text !== undefined && part.thought !== true) || imageOf(part) !== undefined,
    );
    const said = (role: string, more: object = {}): Placed => ({
      message: {
        role,
        content: spoken.map(({ part }) =>
          part.text === undefined
            ? { type: 'image_url', image_url: { url: imageOf(part) } }
            : { type: 'text', text: part.text },
        ),
        ...more,
      },
      at,
      parts: spoken.map((one) => one.at),
    });
    if (turn.role === 'model') {
      const made = parts.flatMap(({ part: { functionCall: call } }) =>
        call === undefined
          ? []
          : [
              {
                id: calls.add(call.name, call.id),
                type: 'function',
                function: { name: call.name, arguments: JSON.stringify(call.args ?? {}) },
              },
            ],
      );
      if (spoken.length > 0) return [said('assistant', made.length > 0 ? { tool_calls: made } : {})];
      return made.length > 0 ? [{ message: { role: 'assistant', content: null, tool_calls: made }, at }] : [];
    }
    const results = parts.flatMap(({ part: { functionResponse: result }, at: place }): readonly Placed[] => {
      if (result === undefined) return [];
      const id = calls.take(result.name, result.id, `${place}.functionResponse`);
      const content = JSON.stringify(result.response);
      return [{ message: { role: 'tool', content, tool_call_id: id }, at: place }];
    });
    return [...results, ...(spoken.length > 0 ? [said('user')] : [])];
  };

/** Whether the caller asked for the model's thoughts. */
export const wantsThoughts = ({ generationConfig }: GenerateContentBody): boolean =>
  ((generationConfig ?? {}) as Config).thinkingConfig?.includeThoughts === true;

const effortOf = ({ thinkingBudget: budget, thinkingLevel: level }: Thinking): string | undefined => {
  if (level !== undefined) return level === 'MINIMAL' ? 'low' : level.toLowerCase();
  return budget === undefined || budget <= 0 ? undefined : effortOfBudget(budget);
};

const choiceOf = (config: object): unknown => {
  const { functionCallingConfig: { mode = 'AUTO', allowedFunctionNames: allowed = [] } = {} } = config as {
    readonly functionCallingConfig?: {
      readonly mode?: string;
      readonly allowedFunctionNames?: readonly string[];
    };
  };
  if (mode === 'NONE') return 'none';
  if (allowed.length > 1) {
    refuse(
      'Several allowed functions are not served: declare only those.',
      'toolConfig.functionCallingConfig.allowedFunctionNames',
    );
  }
  if (mode === 'ANY')
    return allowed.length === 1 ? { type: 'function', function: { name: allowed[0] } } : 'required';
  return 'auto';
};

const formatOf = ({ responseMimeType, responseSchema, responseJsonSchema }: Config): object | undefined => {
  const schema = responseJsonSchema ?? ifPresent(responseSchema, asJsonSchema);
  if (schema !== undefined)
    return { type: 'json_schema', json_schema: { name: 'answer', strict: true, schema } };
  return responseMimeType === 'application/json' ? { type: 'json_object' } : undefined;
};

const NAMES = {
  messages: 'contents',
  max_tokens: 'generationConfig.maxOutputTokens',
  stop: 'generationConfig.stopSequences',
  response_format: 'generationConfig.responseSchema',
  reasoning_effort: 'generationConfig.thinkingConfig',
  tool_choice: 'toolConfig',
};

export const toCommon = (body: GenerateContentBody, model: string | undefined): Translated => {
  const config = (body.generationConfig ?? {}) as Config;
  if (config.topK !== undefined) refuse('topK is not served: leave it out.', 'generationConfig.topK');
  if (body.cachedContent !== undefined)
    refuse('Nothing is stored: send the content itself.', 'cachedContent');
  const declared = (
    (body.tools ?? []) as readonly { readonly functionDeclarations: readonly Declared[] }[]
  ).flatMap(({ functionDeclarations }) => functionDeclarations);
  const fields: Omit<CompletionBody, 'messages'> = withoutAbsent({
    model,
    max_tokens: ifPresent(config.maxOutputTokens, limitOf),
    temperature: config.temperature,
    top_p: config.topP,
    frequency_penalty: config.frequencyPenalty,
    presence_penalty: config.presencePenalty,
    seed: config.seed,
    stop: config.stopSequences,
    reasoning_effort: ifPresent(config.thinkingConfig, effortOf),
    tools:
      declared.length === 0
        ? undefined
        : declared.map(({ name, description, parameters, parametersJsonSchema }) => ({
            type: 'function',
            function: withoutAbsent({
              name,
              description,
              parameters: parametersJsonSchema ?? ifPresent(parameters, asJsonSchema),
            }),
          })),
    tool_choice: declared.length === 0 ? undefined : ifPresent(body.toolConfig, choiceOf),
    response_format: formatOf(config),
  });
  const prompt = ((body.systemInstruction as { readonly parts?: readonly Part[] } | undefined)?.parts ?? [])
    .map(({ text = '' }) => text)
    .join('\n');
  const first: readonly Placed[] =
    prompt === '' ? [] : [{ message: { role: 'system', content: prompt }, at: 'systemInstruction' }];
  return translated(fields, [...first, ...body.contents.flatMap(placedOf(new OpenCalls()))], NAMES);
};

const REASONS: Readonly<Record<string, string>> = { length: 'MAX_TOKENS', content_filter: 'SAFETY' };

export const reasonOf = (finish: string): string => REASONS[finish] ?? 'STOP';

export const usageOf = ({ usage, cached }: Meter): GenerateContentUsage => ({
  promptTokenCount: usage.prompt_tokens,
  candidatesTokenCount: usage.completion_tokens,
  cachedContentTokenCount: cached.read,
  totalTokenCount: usage.total_tokens,
});

export const callParts = (calls: readonly ToolCall[]): readonly object[] =>
  calls.map(({ id, function: called = {} }) => ({
    functionCall: withoutAbsent({ id, name: called.name ?? '', args: argumentsOf(called.arguments) }),
  }));

/** The texts of a message, or of a piece of a message. Only callers who asked for thoughts get them. */
export const textParts = (
  { content, refusal, reasoning_content: thought }: Readonly<Record<string, unknown>>,
  showsThoughts: boolean,
): readonly object[] => [
  ...(showsThoughts && isText(thought) ? [{ text: thought, thought: true }] : []),
  ...[content, refusal].filter(isText).map((text) => ({ text })),
];

export const toContent = (
  { id, modelId, message, finish, meter }: WholeAnswer,
  showsThoughts: boolean,
): GenerateContentAnswer => ({
  candidates: [
    {
      content: {
        role: 'model',
        parts: [
          ...textParts(message, showsThoughts),
          ...callParts((message.tool_calls ?? []) as readonly ToolCall[]),
        ],
      },
      finishReason: reasonOf(finish),
      index: 0,
    },
  ],
  usageMetadata: usageOf(meter),
  modelVersion: modelId,
  responseId: id,
});
