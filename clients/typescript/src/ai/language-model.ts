import type {
  LanguageModelV4,
  LanguageModelV4CallOptions,
  LanguageModelV4Content,
  LanguageModelV4FinishReason,
  LanguageModelV4StreamPart,
  LanguageModelV4Usage,
  SharedV4Warning,
} from '@ai-sdk/provider';

import type { Completion, CompletionBody, CompletionPiece, ToolCallPiece } from '../completions.ts';
import type { Lamppost } from '../lamppost.ts';
import { asCallError, forSdk } from './call-errors.ts';
import { costOf, lamppostOptions } from './lamppost-options.ts';
import { toMessages } from './messages.ts';

const EFFORTS: Readonly<Record<string, CompletionBody['reasoning_effort']>> = {
  minimal: 'low',
  low: 'low',
  medium: 'medium',
  high: 'high',
  xhigh: 'high',
  max: 'high',
};

const FINISHED: Readonly<Record<string, LanguageModelV4FinishReason['unified']>> = {
  stop: 'stop',
  length: 'length',
  tool_calls: 'tool-calls',
  function_call: 'tool-calls',
  content_filter: 'content-filter',
};

/** Converts the finish reason. Some models finish with `stop` after tool calls. */
const finishOf = (raw: string | undefined, hasCalls: boolean): LanguageModelV4FinishReason => ({
  unified: hasCalls && raw === 'stop' ? 'tool-calls' : (FINISHED[raw ?? ''] ?? 'other'),
  raw,
});

const usageOf = (usage: Completion['usage'] | undefined): LanguageModelV4Usage => ({
  inputTokens: {
    total: usage?.prompt_tokens,
    noCache: undefined,
    cacheRead: undefined,
    cacheWrite: undefined,
  },
  outputTokens: { total: usage?.completion_tokens, text: undefined, reasoning: undefined },
});

const formatOf = (format: LanguageModelV4CallOptions['responseFormat']): object | undefined => {
  if (format?.type !== 'json') return undefined;
  const { schema, name = 'answer', description } = format;
  if (schema === undefined) return { type: 'json_object' };
  return { type: 'json_schema', json_schema: { name, description, schema, strict: true } };
};

const choiceOf = (choice: LanguageModelV4CallOptions['toolChoice']): object | string | undefined =>
  choice?.type === 'tool' ? { type: 'function', function: { name: choice.toolName } } : choice?.type;

/** The body of a call, and the options of the call that the service does not support. */
const bodyOf = (
  model: string,
  options: LanguageModelV4CallOptions,
): { readonly body: CompletionBody; readonly warnings: SharedV4Warning[] } => {
  const { tools = [], reasoning, topK } = options;
  const functions = tools.flatMap((tool) =>
    tool.type === 'function'
      ? [
          {
            type: 'function',
            function: {
              name: tool.name,
              description: tool.description,
              parameters: tool.inputSchema,
              strict: tool.strict,
            },
          },
        ]
      : [],
  );
  const warnings: SharedV4Warning[] = [];
  if (topK !== undefined) warnings.push({ type: 'unsupported', feature: 'topK' });
  if (reasoning === 'none') warnings.push({ type: 'unsupported', feature: 'reasoning', details: 'none' });
  for (const tool of tools) {
    if (tool.type === 'provider') warnings.push({ type: 'unsupported', feature: `provider tool ${tool.id}` });
  }
  const body = {
    model,
    messages: toMessages(options.prompt),
    max_tokens: options.maxOutputTokens,
    temperature: options.temperature,
    top_p: options.topP,
    frequency_penalty: options.frequencyPenalty,
    presence_penalty: options.presencePenalty,
    seed: options.seed,
    stop: options.stopSequences,
    reasoning_effort: EFFORTS[reasoning ?? ''],
    response_format: formatOf(options.responseFormat),
    tag: lamppostOptions(options.providerOptions).tag,
    ...(functions.length > 0 && { tools: functions, tool_choice: choiceOf(options.toolChoice) }),
  } as CompletionBody; // In the document, a schema is only an object, so the types differ.
  return { body, warnings };
};

const idOf = (id: string | undefined): string => id ?? crypto.randomUUID();

const contentOf = (message: CompletionMessage): LanguageModelV4Content[] => [
  ...(message.reasoning_content ? [{ type: 'reasoning' as const, text: message.reasoning_content }] : []),
  ...(message.content ? [{ type: 'text' as const, text: message.content }] : []),
  ...(message.tool_calls ?? []).map(({ id, function: called }) => ({
    type: 'tool-call' as const,
    toolCallId: idOf(id),
    toolName: called?.name ?? '',
    input: called?.arguments ?? '',
  })),
];

interface CompletionMessage {
  readonly content?: string | null;
  readonly reasoning_content?: string | null;
  readonly tool_calls?: readonly ToolCallPiece[];
}

interface OpenCall {
  readonly id: string;
  readonly name: string;
  input: string;
}

/** The pieces of a completion as parts of the SDK's stream. Parts end in the order in which they began. */
async function* partsOf(
  pieces: AsyncIterable<CompletionPiece>,
  warnings: SharedV4Warning[],
  body: CompletionBody,
): AsyncGenerator<LanguageModelV4StreamPart, void> {
  const open = new Set<'text' | 'reasoning'>();
  const calls = new Map<number, OpenCall>();
  let usage: Completion['usage'] | undefined;
  let finish: string | undefined;
  let isFirst = true;
  yield { type: 'stream-start', warnings };
  try {
    for await (const { id, model, choices = [], usage: counted, charge } of pieces) {
      if (isFirst) yield { type: 'response-metadata', id, modelId: model, timestamp: new Date() };
      isFirst = false;
      usage = counted ?? usage;
      const [choice] = choices;
      finish = choice?.finish_reason ?? finish;
      const { reasoning_content: thought, content: said, tool_calls: called = [] } = choice?.delta ?? {};
      for (const [kind, delta] of [
        ['reasoning', thought],
        ['text', said],
      ] as const) {
        if (!delta) continue;
        if (!open.has(kind)) yield { type: `${kind}-start`, id: kind };
        open.add(kind);
        yield { type: `${kind}-delta`, id: kind, delta };
      }
      for (const { index = calls.size, id: callId, function: piece } of called) {
        let call = calls.get(index);
        if (call === undefined) {
          call = { id: idOf(callId), name: piece?.name ?? '', input: '' };
          calls.set(index, call);
          yield { type: 'tool-input-start', id: call.id, toolName: call.name };
        }
        if (!piece?.arguments) continue;
        call.input += piece.arguments;
        yield { type: 'tool-input-delta', id: call.id, delta: piece.arguments };
      }
      if (charge === undefined) continue;
      for (const kind of open) yield { type: `${kind}-end`, id: kind };
      for (const { id: toolCallId, name: toolName, input } of calls.values()) {
        yield { type: 'tool-input-end', id: toolCallId };
        yield { type: 'tool-call', toolCallId, toolName, input };
      }
      yield {
        type: 'finish',
        usage: usageOf(usage),
        finishReason: finishOf(finish, calls.size > 0),
        providerMetadata: { lamppost: costOf(charge) },
      };
    }
  } catch (error) {
    yield { type: 'error', error: asCallError(error, body) };
  }
}

/** Makes a stream from a generator, because some browsers can't. Cancelling the stream stops the work. */
const streamOf = <T>(parts: AsyncGenerator<T, void>): ReadableStream<T> =>
  new ReadableStream<T>({
    async pull(controller) {
      const { done, value } = await parts.next();
      if (done === true) controller.close();
      else controller.enqueue(value);
    },
    async cancel() {
      await parts.return();
    },
  });

export const languageModel = (client: Lamppost, modelId: string): LanguageModelV4 => ({
  specificationVersion: 'v4',
  provider: 'lamppost',
  modelId,
  supportedUrls: { 'image/*': [/^https:\/\/.*$/] },
  async doGenerate(options) {
    const { body, warnings } = bodyOf(modelId, options);
    const { idempotencyKey } = lamppostOptions(options.providerOptions);
    const how = { signal: options.abortSignal, idempotencyKey };
    const answer = await forSdk(body, () => client.completions.create(body, how));
    const { id, model, created, choices, usage } = answer.body;
    const [choice] = choices;
    const message = (choice?.message ?? {}) as CompletionMessage;
    return {
      content: contentOf(message),
      finishReason: finishOf(choice?.finish_reason, (message.tool_calls ?? []).length > 0),
      usage: usageOf(usage),
      providerMetadata: { lamppost: costOf(answer.charge) },
      request: { body },
      response: { id, modelId: model, timestamp: new Date(created * 1_000), body: answer.body },
      warnings,
    };
  },
  doStream(options) {
    const { body, warnings } = bodyOf(modelId, options);
    const { idempotencyKey } = lamppostOptions(options.providerOptions);
    const pieces = client.completions.stream(body, { signal: options.abortSignal, idempotencyKey });
    return Promise.resolve({ stream: streamOf(partsOf(pieces, warnings, body)), request: { body } });
  },
});
