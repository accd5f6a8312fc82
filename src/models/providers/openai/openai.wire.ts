import { commonEffort } from '#models/conversation/effort';
import type { CallPart, Effort, Part, Tool, Turn, AnswerOptions } from '#models/conversation/conversation';
import { type ImageCopies, dataUri, sentBody } from '#models/conversation/sent-body';
import { type Micro, ceilDiv, micro } from '#kernel/money';
import { ifPresent, withoutAbsent } from '#kernel/present';
import { type Refusal, codesIn } from '../http/answer-status';
import { fieldsOf, itemsOf, textOf } from '../http/json-fields';
import { type FaultOutcome, contentRefused } from '../http/provider-fault';
import type {
  ConversationPiece,
  ConversationRequest,
  TextAnswer,
  TextRequest,
  TextUsage,
} from '../text-provider';
import type { TokenPrices } from '../token-prices';
import { copyOf, notServed, textIn } from '../text/written-conversation';
import { pricesOfEntry } from './openai-models';
import type { Quirk } from './openai-server';

/**
 * Reasoning models have a fixed temperature, and one limit for thoughts and answer. Many servers know only the older
 * name of the limit.
 */
const thinks = (model: string): boolean => /(^|\/)(o\d|gpt-[5-9])/.test(model);

type Quirks = ReadonlySet<Quirk>;
const NONE: Quirks = new Set();

const limitOf = (model: string, maxTokens: number, quirks: Quirks): Readonly<Record<string, number>> =>
  thinks(model) || quirks.has('max_completion_tokens')
    ? { max_completion_tokens: maxTokens }
    : { max_tokens: maxTokens };

/** Some vendors report the cost of a call only on request. */
const billOf = (quirks: Quirks): object => (quirks.has('usage_cost') ? { usage: { include: true } } : {});

export const toCompletionBody = (request: TextRequest, quirks = NONE): object => ({
  model: request.model,
  messages: request.messages.map(({ role, content }) => ({ role, content })),
  ...limitOf(request.model, request.maxTokens, quirks),
  ...billOf(quirks),
  temperature: thinks(request.model) ? undefined : request.temperature,
  reasoning_effort: request.reasoningEffort,
});

const partOf = (part: Part, copies: ImageCopies): object =>
  part.kind === 'image'
    ? { type: 'image_url', image_url: { url: dataUri(copyOf(part, copies)) } }
    : { type: 'text', text: part.kind === 'text' ? part.text : refuseDocument(part) };

const refuseDocument = ({ at }: Part): never => {
  throw notServed('it takes no documents from this interface', at);
};

const callOf = ({ id, name, input, signature }: CallPart): object => ({
  id,
  type: 'function',
  function: { name, arguments: typeof input === 'string' ? input : JSON.stringify(input) },
  ...(signature === undefined ? {} : { extra_content: { google: { thought_signature: signature } } }),
});

/** One text stays a text, because some servers know only texts. */
const contentOf = (parts: readonly Part[], copies: ImageCopies): unknown => {
  const [first] = parts;
  if (parts.length === 1 && first?.kind === 'text') return first.text;
  return parts.map((part) => partOf(part, copies));
};

/** The results of tools are messages of their own, and come before the user's other parts. */
const messagesOf = ({ role, parts }: Turn, copies: ImageCopies): readonly object[] => {
  if (role === 'system') return [{ role, content: textIn(parts) }];
  const contents = parts.filter(({ kind }) => kind === 'text' || kind === 'image' || kind === 'document');
  if (role === 'assistant') {
    const calls = parts.flatMap((part) => (part.kind === 'call' ? callOf(part) : []));
    if (contents.length === 0 && calls.length === 0) return [];
    const content = contents.length === 0 ? null : contentOf(contents, copies);
    return [{ role, content, ...(calls.length === 0 ? {} : { tool_calls: calls }) }];
  }
  const results = parts.flatMap((part) =>
    part.kind === 'result'
      ? {
          role: 'tool',
          content: part.parts.length === 0 ? '' : contentOf(part.parts, copies),
          tool_call_id: part.of,
        }
      : [],
  );
  return contents.length === 0 ? results : [...results, { role, content: contentOf(contents, copies) }];
};

/** A custom tool takes any text. As a function, it takes that text as its only field. */
const toolOf = ({ kind, name, description, parameters, strict }: Tool): object => ({
  type: 'function',
  function: withoutAbsent({
    name,
    description,
    parameters: kind === 'custom' ? CUSTOM_INPUT : parameters,
    strict: kind === 'custom' ? undefined : strict,
  }),
});

const CUSTOM_INPUT = { type: 'object', properties: { input: { type: 'string' } }, required: ['input'] };

const effortOf = (model: string, effort: Effort | undefined): string | undefined =>
  effort === 'minimal' && thinks(model) ? effort : commonEffort(effort);

const formatOf = (format: AnswerOptions['format']): object | undefined => {
  if (format === undefined) return undefined;
  if (format === 'json') return { type: 'json_object' };
  return { type: 'json_schema', json_schema: withoutAbsent({ ...format }) };
};

/** A conversation of another API. */
const translated = ({ model, conversation, copies }: ConversationRequest): object => {
  const { turns, tools, options } = conversation;
  const { choice, stop } = options;
  const isSampled = !thinks(model);
  return withoutAbsent({
    messages: turns.flatMap((turn) => messagesOf(turn, copies)),
    tools: tools.length === 0 ? undefined : tools.map(toolOf),
    tool_choice:
      tools.length === 0 || choice === undefined || typeof choice === 'string'
        ? tools.length === 0
          ? undefined
          : choice
        : { type: 'function', function: choice },
    parallel_tool_calls: tools.length === 0 ? undefined : options.parallel,
    response_format: formatOf(options.format),
    stop: stop.length === 0 ? undefined : stop,
    temperature: isSampled ? options.temperature : undefined,
    top_p: isSampled ? options.topP : undefined,
    frequency_penalty: options.frequencyPenalty,
    presence_penalty: options.presencePenalty,
    seed: options.seed,
    reasoning_effort: effortOf(model, options.effort),
  });
};

/** Otherwise OpenRouter may let another service read a document, and bills each page, which no price here covers. */
const readerOf = ({ documents }: ConversationRequest['conversation'], quirks: Quirks): object =>
  documents > 0 && quirks.has('usage_cost')
    ? { plugins: [{ id: 'file-parser', pdf: { engine: 'native' } }] }
    : {};

/** A caller's own body keeps its fields, but the service sets the model, the limit and the stream. */
export const toConversationBody = (request: ConversationRequest, quirks = NONE): object => {
  const { model, maxTokens, conversation, copies } = request;
  return {
    ...(conversation.api === 'completions' ? sentBody(conversation, copies) : translated(request)),
    model,
    ...limitOf(model, maxTokens, quirks),
    ...billOf(quirks),
    ...readerOf(conversation, quirks),
    stream: true,
    stream_options: quirks.has('no_stream_options') ? undefined : { include_usage: true },
  };
};

const isCount = (value: unknown): value is number => Number.isSafeInteger(value) && (value as number) >= 0;

/** The adapter ignores a larger bill, because no text costs so many dollars. */
const COST_USD_MAX = 1_000;

/** The bill of a server with the quirk `usage_cost`, which bills in USD. A fraction of a micro-USD is rounded up. */
const costOf = (cost: unknown, quirks: Quirks): { readonly cost?: Micro } => {
  if (!quirks.has('usage_cost') || typeof cost !== 'number' || !(cost >= 0 && cost <= COST_USD_MAX))
    return {};
  const [whole, part] = cost.toFixed(9).split('.');
  return { cost: micro(ceilDiv(BigInt(`${whole}${part}`), 1_000n)) };
};

/**
 * The thoughts that `completion_tokens` leaves out. OpenAI counts thoughts among them. xAI counts thoughts apart and bills
 * them, and its total shows it.
 */
const thoughtsApart = (counts: Fields, promptTokens: number, completionTokens: number): number => {
  const { reasoning_tokens: thought } = fieldsOf(counts['completion_tokens_details']);
  const { total_tokens: total } = counts;
  const isApart = isCount(thought) && isCount(total) && total >= promptTokens + completionTokens + thought;
  return isApart ? thought : 0;
};

const usageOf = (value: unknown, quirks: Quirks): TextUsage | undefined => {
  const counts = fieldsOf(value);
  const { prompt_tokens: promptTokens, completion_tokens: completionTokens, cost } = counts;
  if (!isCount(promptTokens) || !isCount(completionTokens)) return undefined;
  const details = fieldsOf(counts['prompt_tokens_details']);
  const answer = fieldsOf(counts['completion_tokens_details']);
  const counted = (count: unknown): number | undefined => (isCount(count) && count > 0 ? count : undefined);
  return withoutAbsent({
    promptTokens,
    completionTokens: completionTokens + thoughtsApart(counts, promptTokens, completionTokens),
    cacheReadTokens: counted(details['cached_tokens']),
    cacheWriteTokens: counted(details['cache_write_tokens']),
    inputAudioTokens: counted(details['audio_tokens']),
    outputAudioTokens: counted(answer['audio_tokens']),
    ...costOf(cost, quirks),
  });
};

/** An estimate for the few servers that report no counts. A zero would look like a real count. */
const guessed = (text: string): number => Math.ceil(text.length / 4);

/** A text, or the joined texts of its parts; otherwise undefined. */
const wordsOf = (content: unknown): string | undefined =>
  Array.isArray(content)
    ? textOf(
        content
          .map((part) => (typeof part === 'string' ? part : (textOf(fieldsOf(part)['text']) ?? '')))
          .join(''),
      )
    : textOf(content);

const FINISHES: ReadonlySet<string> = new Set([
  'stop',
  'length',
  'tool_calls',
  'content_filter',
  'function_call',
]);

/** Clients do not know a server's own finish reasons. */
const finishOf = (choice: Readonly<Record<string, unknown>>): string | undefined =>
  ifPresent(textOf(choice['finish_reason']), (word) => (FINISHES.has(word) ? word : 'stop'));

/** Undefined if the answer is not usable. A refusal is usable; a number or an absent content is not. */
export const toTextAnswer = (value: unknown, request: TextRequest, quirks = NONE): TextAnswer | undefined => {
  const { choices, usage } = fieldsOf(value);
  const choice = fieldsOf(itemsOf(choices)[0]);
  const { content, refusal } = fieldsOf(choice['message']);
  const text = wordsOf(content) ?? wordsOf(refusal);
  if (text === undefined && choice['finish_reason'] === 'content_filter') throw contentRefused();
  if (text === undefined) return undefined;
  return {
    content: text,
    ...withoutAbsent({ finishReason: finishOf(choice) }),
    ...(usageOf(usage, quirks) ?? {
      promptTokens: guessed(request.messages.map((each) => each.content).join('')),
      completionTokens: guessed(text),
    }),
  };
};

/** More tool calls than any answer has. A larger index is a mistake of the server. */
const TOOL_CALLS_MAX = 128;

type Fields = Readonly<Record<string, unknown>>;

/** A piece of a tool call, in the form that clients know. Undefined if `value` is no such piece. */
const toolCallIn = (value: unknown): Fields | undefined => {
  const { index, id, function: called } = fieldsOf(value);
  if (!isCount(index) || index >= TOOL_CALLS_MAX) return undefined;
  const { name, arguments: args } = fieldsOf(called);
  const words = withoutAbsent({ name: textOf(name), arguments: asText(args) });
  return withoutAbsent({
    index,
    id: textOf(id),
    type: textOf(id) === undefined ? undefined : 'function',
    function: Object.keys(words).length === 0 ? undefined : words,
  });
};

const asText = (value: unknown): string | undefined => (typeof value === 'string' ? value : undefined);

const toolCallsIn = (value: unknown): readonly unknown[] | undefined => {
  const calls = itemsOf(value).map(toolCallIn);
  return calls.length === 0 || calls.includes(undefined) ? undefined : calls;
};

/** The fields of a delta that clients know, each in its known form. */
const SHOWN = new Map<string, (value: unknown) => unknown>([
  ['role', () => 'assistant'],
  ['content', (value) => asText(value) ?? wordsOf(value)],
  ['refusal', asText],
  ['reasoning_content', asText],
  ['tool_calls', toolCallsIn],
]);

interface Output {
  readonly delta: Fields;
  /** Fields that clients do not see: images, sounds, and thoughts under other names. */
  readonly hidden?: Fields;
}

const outputIn = (choice: Fields): Output => {
  const delta: Record<string, unknown> = {};
  let hidden: Record<string, unknown> | undefined;
  for (const [name, value] of Object.entries(fieldsOf(choice['delta']))) {
    const shown = SHOWN.get(name)?.(value);
    if (shown !== undefined) delta[name] = shown;
    else if (value !== null && value !== '') (hidden ??= {})[name] = value;
  }
  const message = choice['message'];
  if (typeof message === 'object' && message !== null) hidden = { ...hidden, message };
  return { delta, hidden };
};

/**
 * Whether a chunk reports that the server did not accept the work. If no text came before it, the failover may try
 * another route.
 */
export const isBusy = (value: unknown): boolean => codesIn(value).some((code) => TOO_BUSY.has(code));

/** Undefined if the chunk reports a failed stream, or if `value` is no chunk. */
export const toPieces = (value: unknown, quirks = NONE): readonly ConversationPiece[] | undefined => {
  const chunk = fieldsOf(value);
  if (chunk['error'] !== undefined && chunk['error'] !== null) return undefined;
  if (!Array.isArray(chunk['choices']) && chunk['usage'] === undefined) return undefined;
  const pieces: ConversationPiece[] = [];
  const choice = fieldsOf(itemsOf(chunk['choices'])[0]);
  const { delta, hidden } = outputIn(choice);
  const finishReason = finishOf(choice);
  if (Object.keys(delta).length > 0 || finishReason !== undefined || hidden !== undefined) {
    pieces.push({ delta, finishReason, hidden });
  }
  const usage = usageOf(chunk['usage'], quirks);
  if (usage !== undefined) pieces.push({ usage });
  return pieces;
};

/** OpenRouter's list of models contains their prices. Lists without prices, such as OpenAI's, give an empty map. */
export const toTokenPrices = (value: unknown): ReadonlyMap<string, TokenPrices> =>
  new Map(
    itemsOf(fieldsOf(value)['data']).flatMap((item) => {
      const { id, pricing } = fieldsOf(item);
      const prices = pricesOfEntry(pricing);
      return typeof id !== 'string' || prices === undefined ? [] : [[id, prices] as const];
    }),
  );

const OUR_BILL: ReadonlySet<string> = new Set(['billing_hard_limit_reached', 'insufficient_quota']);
const TOO_BUSY: ReadonlySet<string> = new Set([
  'engine_overloaded',
  'overloaded',
  'overloaded_error',
  'slow_down',
]);

/**
 * Anthropic and xAI have no code for an empty account. The pattern matches only the beginning of a message, because
 * later words may quote a caller.
 */
const EMPTY_ACCOUNT = /^your (credit balance is too low\b|(newly created )?teams?\b.{0,80}\bcredits\b)/i;

/** A 400 or 429 may mean our unpaid bill, and a 503 a busy engine. In both cases the server did not accept the work. */
export const judge = ({ codes, message }: Refusal): FaultOutcome | undefined => {
  if (codes.some((code) => OUR_BILL.has(code)) || EMPTY_ACCOUNT.test(message)) return 'empty-account';
  return codes.some((code) => TOO_BUSY.has(code)) ? 'not-accepted' : undefined;
};
