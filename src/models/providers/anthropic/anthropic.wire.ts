import { commonEffort } from '#models/conversation/effort';
import { type Conversation, type Part, type Turn, nameOf } from '#models/conversation/conversation';
import { type ImageCopies, sentBody } from '#models/conversation/sent-body';
import type { Fields } from '#kernel/json';
import { withoutAbsent } from '#kernel/present';
import type { Refusal } from '../http/answer-status';
import { fieldsOf, itemsOf, textOf } from '../http/json-fields';
import { type FaultOutcome, ProviderFault, contentRefused } from '../http/provider-fault';
import {
  alternatingMessages,
  asConversation,
  copyOf,
  countOf,
  filtered,
  inputOf,
  notServed,
  refusePenalties,
  systemOf,
  turnsOf,
} from '../text/written-conversation';
import { StreamReader } from '../text/stream-reader';
import type { Question, TextWire } from '../text/wire-text.provider';
import type { ConversationPiece, ConversationRequest, TextAnswer, TextUsage } from '../text-provider';

/** Newer models choose their own sampling, and reject these fields. */
const SAMPLES_ITSELF = /opus-4-[7-9]|(opus|sonnet|haiku)-[5-9]|fable|mythos/;
const KNOWS_EFFORT = /opus-4-[5-9]|sonnet-4-[6-9]|(opus|sonnet|haiku)-[5-9]|fable|mythos/;

const IMAGES: ReadonlySet<string> = new Set(['image/jpeg', 'image/png', 'image/gif', 'image/webp']);

/** Ids of another vendor may contain characters that Anthropic refuses. */
const idOf = (id: string): string => id.replaceAll(/[^A-Za-z0-9_-]/g, '_');

const blockOf = (part: Part, copies: ImageCopies): object => {
  switch (part.kind) {
    case 'text':
    case 'reasoning':
      return { type: 'text', text: part.text };
    case 'call':
      return { type: 'tool_use', id: idOf(part.id), name: part.name, input: inputOf(part) };
    case 'result':
      return {
        type: 'tool_result',
        tool_use_id: idOf(part.of),
        content: part.parts.map((each) => blockOf(each, copies)),
        ...(part.isError ? { is_error: true } : {}),
      };
    default: {
      const { mime, data } = copyOf(part, copies);
      if (!IMAGES.has(mime)) throw notServed('it does not know this kind of image', part.at);
      return { type: 'image', source: { type: 'base64', media_type: mime, data } };
    }
  }
};

const messagesOf = (turns: readonly Turn[], copies: ImageCopies): readonly object[] =>
  alternatingMessages(turns, ({ parts }) => parts.map((part) => blockOf(part, copies))).map(
    ({ isAnswer, parts }) => ({ role: isAnswer ? 'assistant' : 'user', content: parts }),
  );

const choiceOf = ({ tools, options: { choice = 'auto', parallel } }: Conversation): object | undefined => {
  if (tools.length === 0) return undefined;
  if (choice === 'none') return { type: 'none' };
  const one = parallel === false ? { disable_parallel_tool_use: true } : {};
  if (typeof choice === 'object') return { type: 'tool', name: choice.name, ...one };
  return { type: choice === 'required' ? 'any' : 'auto', ...one };
};

/** Structured outputs require each object of a schema to forbid further fields. */
const closed = (schema: unknown): unknown => {
  if (Array.isArray(schema)) return schema.map(closed);
  if (typeof schema !== 'object' || schema === null) return schema;
  const fields = Object.fromEntries(Object.entries(schema).map(([name, value]) => [name, closed(value)]));
  return fields['type'] === 'object' ? { ...fields, additionalProperties: false } : fields;
};

const outputOf = (model: string, conversation: Conversation): object | undefined => {
  const { format, effort } = conversation.options;
  if (format === 'json') throw notServed('it writes JSON by a schema only', nameOf(conversation, 'format'));
  const output = withoutAbsent({
    format: format && { type: 'json_schema', schema: closed(format.schema) },
    effort: KNOWS_EFFORT.test(model) ? commonEffort(effort) : undefined,
  });
  return Object.keys(output).length === 0 ? undefined : output;
};

/** Older models accept either the temperature or `top_p`, and a temperature of at most 1. */
const samplingOf = (model: string, { temperature, topP }: Conversation['options']): object => {
  if (SAMPLES_ITSELF.test(model)) return {};
  return temperature === undefined ? { top_p: topP } : { temperature: Math.min(1, temperature) };
};

/** The thoughts of another maker have no signature, so Anthropic refuses them. */
const isAccepted = (block: unknown): boolean => {
  const { type, signature } = fieldsOf(block);
  return type !== 'thinking' || textOf(signature) !== undefined;
};

const THINKING_MIN = 1_024;

/** The budget of thoughts is a part of the limit, which may be lower than the caller's. */
const thinkingWithin = (thinking: unknown, maxTokens: number): unknown => {
  const { budget_tokens: budget } = fieldsOf(thinking);
  if (typeof budget !== 'number' || budget < maxTokens) return thinking;
  return maxTokens > THINKING_MIN ? { ...fieldsOf(thinking), budget_tokens: maxTokens - 1 } : undefined;
};

/** The caller's own body. Only its model, its limit and foreign thoughts change. */
const passedOn = ({ conversation, copies, model, maxTokens }: ConversationRequest): object => {
  const body = sentBody(conversation, copies);
  const hasForeign = conversation.turns.some(({ parts }) =>
    parts.some((part) => part.kind === 'reasoning' && !part.isSigned),
  );
  return withoutAbsent({
    ...body,
    messages: hasForeign
      ? itemsOf(body['messages']).map((message) => {
          const { content, ...more } = fieldsOf(message);
          return { ...more, content: Array.isArray(content) ? filtered(content, isAccepted) : content };
        })
      : body['messages'],
    thinking: thinkingWithin(body['thinking'], maxTokens),
    model,
    max_tokens: maxTokens,
  });
};

const translated = ({ model, maxTokens, conversation, copies }: ConversationRequest): object => {
  const { tools, options } = conversation;
  const { stop } = options;
  const system = systemOf(conversation);
  refusePenalties(conversation);
  return withoutAbsent({
    model,
    max_tokens: maxTokens,
    system: system === '' ? undefined : system,
    messages: messagesOf(turnsOf(conversation), copies),
    tools:
      tools.length === 0
        ? undefined
        : tools.map(({ name, description, parameters, strict }) =>
            withoutAbsent({
              name,
              description,
              input_schema: { type: 'object', ...parameters },
              strict: strict === true ? true : undefined,
            }),
          ),
    tool_choice: choiceOf(conversation),
    stop_sequences: stop.length === 0 ? undefined : stop,
    output_config: outputOf(model, conversation),
    ...samplingOf(model, options),
  });
};

export const toMessage = (request: ConversationRequest, stream: boolean): object => {
  const { conversation } = request;
  if (conversation.options.stop.some((word) => word.trim() === ''))
    throw notServed('it stops at words only', nameOf(conversation, 'stop'));
  const body = conversation.api === 'messages' ? passedOn(request) : translated(request);
  return stream ? { ...body, stream: true } : body;
};

/** Anthropic's count of the prompt excludes the tokens that it read from its cache or wrote into it. */
const usageOf = (value: unknown): TextUsage | undefined => {
  const usage = fieldsOf(value);
  const input = countOf(usage['input_tokens']);
  const completionTokens = countOf(usage['output_tokens']);
  if (input === undefined || completionTokens === undefined) return undefined;
  const cacheReadTokens = countOf(usage['cache_read_input_tokens']);
  const cacheWriteTokens = countOf(usage['cache_creation_input_tokens']);
  const forAnHour = countOf(fieldsOf(usage['cache_creation'])['ephemeral_1h_input_tokens']);
  return withoutAbsent({
    promptTokens: input + (cacheReadTokens ?? 0) + (cacheWriteTokens ?? 0),
    completionTokens,
    cacheReadTokens,
    cacheWriteTokens,
    cacheWrite1hTokens: forAnHour === 0 ? undefined : forAnHour,
  });
};

const FINISHES: Readonly<Record<string, string>> = {
  max_tokens: 'length',
  model_context_window_exceeded: 'length',
  tool_use: 'tool_calls',
  refusal: 'content_filter',
};

const finishOf = (reason: unknown): string => FINISHES[textOf(reason) ?? ''] ?? 'stop';

/** Undefined if the answer is not usable. The service can't charge for an answer without counts. */
export const toTextAnswer = (value: unknown): TextAnswer | undefined => {
  const { type, content, usage, stop_reason: reason } = fieldsOf(value);
  const counted = usageOf(usage);
  if (type !== 'message' || counted === undefined) return undefined;
  const text = itemsOf(content)
    .map((block) => textOf(fieldsOf(block)['text']) ?? '')
    .join('');
  if (text === '' && reason === 'refusal') throw contentRefused();
  // A model may reach its limit while it still reasons.
  if (text === '' && reason !== 'max_tokens') return undefined;
  return { content: text, finishReason: finishOf(reason), ...counted };
};

/** The codes with which Anthropic reports that it did not accept the work. */
const TOO_BUSY: ReadonlySet<string> = new Set(['overloaded_error', 'rate_limit_error']);

class MessageReader extends StreamReader {
  private usage: Fields = {};
  private reason = '';
  private hasWords = false;
  /** Maps the place of a tool block in the message to its number among the calls, because clients count only calls. */
  private readonly calls = new Map<unknown, number>();

  protected take(data: string, pieces: ConversationPiece[]): void {
    const event = fieldsOf(JSON.parse(data));
    switch (event['type']) {
      case 'message_start':
        this.count(fieldsOf(event['message'])['usage']);
        break;
      case 'content_block_start':
        this.begin(event['index'], fieldsOf(event['content_block']), pieces);
        break;
      case 'content_block_delta':
        this.onDelta(event['index'], fieldsOf(event['delta']), pieces);
        break;
      case 'message_delta':
        this.count(event['usage']);
        this.reason = textOf(fieldsOf(event['delta'])['stop_reason']) ?? this.reason;
        break;
      case 'message_stop':
        this.end(pieces);
        break;
      case 'error':
        throw this.failed(textOf(fieldsOf(event['error'])['type']) ?? '');
    }
  }

  private begin(index: unknown, { type, id, name, text, data }: Fields, pieces: ConversationPiece[]): void {
    if (type === 'text') this.addDelta({ content: textOf(text) }, pieces);
    const redacted = type === 'redacted_thinking' ? textOf(data) : undefined;
    if (redacted !== undefined) pieces.push({ delta: {}, redacted });
    if (type !== 'tool_use') return;
    const call = this.calls.size;
    this.calls.set(index, call);
    const called = { name: textOf(name) ?? '', arguments: '' };
    this.addDelta({ tool_calls: [{ index: call, id, type: 'function', function: called }] }, pieces);
  }

  private onDelta(
    index: unknown,
    { type, text, thinking, partial_json: json, signature: signed }: Fields,
    pieces: ConversationPiece[],
  ) {
    if (type === 'text_delta') this.addDelta({ content: textOf(text) }, pieces);
    if (type === 'thinking_delta') this.addDelta({ reasoning_content: textOf(thinking) }, pieces);
    const signature = type === 'signature_delta' ? textOf(signed) : undefined;
    if (signature !== undefined) pieces.push({ delta: {}, signature });
    const call = this.calls.get(index);
    if (type !== 'input_json_delta' || call === undefined || textOf(json) === undefined) return;
    this.addDelta({ tool_calls: [{ index: call, function: { arguments: json } }] }, pieces);
  }

  private addDelta(delta: Fields, pieces: ConversationPiece[]): void {
    if (Object.values(delta).every((value) => value === undefined)) return;
    pieces.push({ delta: this.hasWords ? delta : { role: 'assistant', ...delta } });
    // The counts of the prompt come with the first words, so a caller who hangs up pays for cached tokens as such.
    const prompt = this.hasWords ? undefined : usageOf({ ...this.usage, output_tokens: 0 });
    if (prompt !== undefined) pieces.push({ usage: prompt });
    this.hasWords = true;
  }

  private end(pieces: ConversationPiece[]): void {
    if (!this.hasWords && this.reason === 'refusal') throw contentRefused();
    pieces.push({ delta: {}, finishReason: finishOf(this.reason) });
    const usage = usageOf(this.usage);
    if (usage !== undefined) pieces.push({ usage });
    this.hasFinish = true;
    this.isDone = true;
  }

  /** The counts of a later event cover the whole message, but some of them may be absent. */
  private count(usage: unknown): void {
    this.usage = { ...this.usage, ...fieldsOf(usage) };
  }

  private failed(type: string): ProviderFault {
    const isUntouched = !this.hasWords && TOO_BUSY.has(type);
    return new ProviderFault(isUntouched ? 'not-accepted' : 'unknown', 'its stream says that it failed');
  }
}

/** The patterns match only the beginning of a message, because later words may quote a caller. */
const EMPTY_ACCOUNT = /^your credit balance is too low\b/i;
const SPEND_LIMIT = /^you have reached your specified .{0,20}usage limits\b/i;

/** Anthropic reports an empty account as 400, like a caller's mistake. */
export const judge = ({ status, codes, message }: Refusal): FaultOutcome | undefined => {
  if (EMPTY_ACCOUNT.test(message) || SPEND_LIMIT.test(message) || codes.includes('billing_error'))
    return 'empty-account';
  return status !== 429 && codes.some((code) => TOO_BUSY.has(code)) ? 'not-accepted' : undefined;
};

const ask = (request: ConversationRequest, stream: boolean): Question => ({
  path: 'messages',
  json: toMessage(request, stream),
  headers: request.conversation.headers,
});

/** The fields of a call that its count reads. */
const COUNTED = ['model', 'messages', 'system', 'tools', 'tool_choice', 'thinking', 'output_config'];

const countQuestion = (request: ConversationRequest): Question => {
  const { path, json, headers } = ask(request, false);
  const fields = Object.entries(json).filter(([name]) => COUNTED.includes(name));
  return { path: `${path}/count_tokens`, json: Object.fromEntries(fields), headers };
};

export const ANTHROPIC_WIRE: TextWire = {
  speaks: 'messages',
  whole: (request) => ask(asConversation(request), false),
  streamed: (request) => ask(request, true),
  answer: toTextAnswer,
  reader: (eventsMax) => new MessageReader(eventsMax),
  counts: { question: countQuestion, field: 'input_tokens' },
};
