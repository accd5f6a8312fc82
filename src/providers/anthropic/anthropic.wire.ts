import { withoutAbsent } from '../../kernel/present';
import { type Fields, type Refusal, fieldsOf, itemsOf, textOf } from '../http/answer-status';
import { type FaultOutcome, ProviderFault, contentRefused } from '../http/provider-fault';
import {
  type Conversation,
  type Part,
  type Turn,
  asConversation,
  countOf,
  notServed,
  readConversation,
  alternatingMessages,
} from '../text/conversation';
import { StreamReader } from '../text/stream-reader';
import type { Question, TextWire } from '../text/wire-text.provider';
import type { ConversationPiece, ConversationRequest, TextAnswer, TextUsage } from '../text-provider';

/** Newer models choose their own sampling, and reject these fields. */
const SAMPLES_ITSELF = /opus-4-[7-9]|(opus|sonnet|haiku)-[5-9]|fable|mythos/;
const KNOWS_EFFORT = /opus-4-[5-9]|sonnet-4-[6-9]|(opus|sonnet|haiku)-[5-9]|fable|mythos/;

const IMAGES: ReadonlySet<string> = new Set(['image/jpeg', 'image/png', 'image/gif', 'image/webp']);

const blockOf = (part: Part): object => {
  if (part.kind === 'text') return { type: 'text', text: part.text };
  if (!IMAGES.has(part.mime)) throw notServed('it does not know this kind of image', 'messages');
  return { type: 'image', source: { type: 'base64', media_type: part.mime, data: part.data } };
};

/** Ids of another vendor may contain characters that Anthropic refuses. */
const idOf = (id: string): string => id.replaceAll(/[^A-Za-z0-9_-]/g, '_');

const blocksOf = (turn: Turn): readonly object[] => {
  const blocks = turn.parts.map(blockOf);
  if (turn.role === 'user') return blocks;
  if (turn.role === 'tool') return [{ type: 'tool_result', tool_use_id: idOf(turn.id), content: blocks }];
  const calls = turn.calls.map(({ id, name, input }) => ({ type: 'tool_use', id: idOf(id), name, input }));
  return [...blocks, ...calls];
};

const messagesOf = (turns: readonly Turn[]): readonly object[] =>
  alternatingMessages(turns, blocksOf).map(({ isAnswer, parts }) => ({
    role: isAnswer ? 'assistant' : 'user',
    content: parts,
  }));

const choiceOf = ({ tools, choice = 'auto', parallel }: Conversation): object | undefined => {
  if (tools.length === 0) return undefined;
  if (choice === 'none') return { type: 'none' };
  const one = parallel ? {} : { disable_parallel_tool_use: true };
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

const outputOf = (model: string, { format, effort }: Conversation): object | undefined => {
  if (format === 'json') throw notServed('it writes JSON by a schema only', 'response_format');
  const output = withoutAbsent({
    format: format && { type: 'json_schema', schema: closed(format.schema) },
    effort: KNOWS_EFFORT.test(model) ? effort : undefined,
  });
  return Object.keys(output).length === 0 ? undefined : output;
};

/** Older models accept either the temperature or `top_p`, and a temperature of at most 1. */
const samplingOf = (model: string, { temperature, topP }: Conversation): object => {
  if (SAMPLES_ITSELF.test(model)) return {};
  return temperature === undefined ? { top_p: topP } : { temperature: Math.min(1, temperature) };
};

export const toMessage = ({ model, maxTokens, body }: ConversationRequest, stream: boolean): object => {
  const conversation = readConversation(body);
  const { system, turns, tools, stop, frequencyPenalty, presencePenalty } = conversation;
  if (frequencyPenalty) throw notServed('it knows no penalty', 'frequency_penalty');
  if (presencePenalty) throw notServed('it knows no penalty', 'presence_penalty');
  if (stop.some((word) => word.trim() === '')) throw notServed('it stops at words only', 'stop');
  return withoutAbsent({
    model,
    max_tokens: maxTokens,
    system: system === '' ? undefined : system,
    messages: messagesOf(turns),
    tools:
      tools.length === 0
        ? undefined
        : tools.map(({ name, description, parameters, strict }) =>
            withoutAbsent({
              name,
              description,
              input_schema: { type: 'object', ...parameters },
              strict: strict ? true : undefined,
            }),
          ),
    tool_choice: choiceOf(conversation),
    stop_sequences: stop.length === 0 ? undefined : stop,
    output_config: outputOf(model, conversation),
    ...samplingOf(model, conversation),
    stream: stream ? true : undefined,
  });
};

/** Anthropic's count of the prompt excludes the tokens that it read from its cache or wrote into it. */
const usageOf = (value: unknown): TextUsage | undefined => {
  const usage = fieldsOf(value);
  const input = countOf(usage['input_tokens']);
  const completionTokens = countOf(usage['output_tokens']);
  if (input === undefined || completionTokens === undefined) return undefined;
  const cacheReadTokens = countOf(usage['cache_read_input_tokens']);
  const cacheWriteTokens = countOf(usage['cache_creation_input_tokens']);
  return withoutAbsent({
    promptTokens: input + (cacheReadTokens ?? 0) + (cacheWriteTokens ?? 0),
    completionTokens,
    cacheReadTokens,
    cacheWriteTokens,
  });
};

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
  return text === '' && reason !== 'max_tokens' ? undefined : { content: text, ...counted };
};

const FINISHES: Readonly<Record<string, string>> = {
  max_tokens: 'length',
  model_context_window_exceeded: 'length',
  tool_use: 'tool_calls',
  refusal: 'content_filter',
};

/** The codes with which Anthropic reports that it did not accept the work. */
const TOO_BUSY: ReadonlySet<string> = new Set(['overloaded_error', 'rate_limit_error']);

/** Reads the events of one message. */
class MessageReader extends StreamReader {
  private usage: Fields = {};
  private reason = '';
  private hasWords = false;
  /** Maps the place of a tool block in the message to its number among the calls, because clients count only calls. */
  private readonly calls = new Map<unknown, number>();

  protected take(data: string, said: ConversationPiece[]): void {
    const event = fieldsOf(JSON.parse(data));
    switch (event['type']) {
      case 'message_start':
        this.count(fieldsOf(event['message'])['usage']);
        break;
      case 'content_block_start':
        this.begin(event['index'], fieldsOf(event['content_block']), said);
        break;
      case 'content_block_delta':
        this.onDelta(event['index'], fieldsOf(event['delta']), said);
        break;
      case 'message_delta':
        this.count(event['usage']);
        this.reason = textOf(fieldsOf(event['delta'])['stop_reason']) ?? this.reason;
        break;
      case 'message_stop':
        this.end(said);
        break;
      case 'error':
        throw this.failed(textOf(fieldsOf(event['error'])['type']) ?? '');
    }
  }

  private begin(index: unknown, { type, id, name, text }: Fields, said: ConversationPiece[]): void {
    if (type === 'text') this.say({ content: textOf(text) }, said);
    if (type !== 'tool_use') return;
    const call = this.calls.size;
    this.calls.set(index, call);
    const called = { name: textOf(name) ?? '', arguments: '' };
    this.say({ tool_calls: [{ index: call, id, type: 'function', function: called }] }, said);
  }

  private onDelta(
    index: unknown,
    { type, text, thinking, partial_json: json }: Fields,
    said: ConversationPiece[],
  ) {
    if (type === 'text_delta') this.say({ content: textOf(text) }, said);
    if (type === 'thinking_delta') this.say({ reasoning_content: textOf(thinking) }, said);
    const call = this.calls.get(index);
    if (type !== 'input_json_delta' || call === undefined || textOf(json) === undefined) return;
    this.say({ tool_calls: [{ index: call, function: { arguments: json } }] }, said);
  }

  private say(delta: Fields, said: ConversationPiece[]): void {
    if (Object.values(delta).every((value) => value === undefined)) return;
    said.push({ delta: this.hasWords ? delta : { role: 'assistant', ...delta } });
    this.hasWords = true;
  }

  private end(said: ConversationPiece[]): void {
    if (!this.hasWords && this.reason === 'refusal') throw contentRefused();
    said.push({ delta: {}, finishReason: FINISHES[this.reason] ?? 'stop' });
    const usage = usageOf(this.usage);
    if (usage !== undefined) said.push({ usage });
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
  if (EMPTY_ACCOUNT.test(message) || SPEND_LIMIT.test(message) || codes.includes('billing_error')) {
    return 'empty-account';
  }
  return status !== 429 && codes.some((code) => TOO_BUSY.has(code)) ? 'not-accepted' : undefined;
};

const ask = (request: ConversationRequest, stream: boolean): Question => ({
  path: 'messages',
  json: toMessage(request, stream),
});

export const ANTHROPIC_WIRE: TextWire = {
  whole: (request) => ask(asConversation(request), false),
  streamed: (request) => ask(request, true),
  answer: toTextAnswer,
  reader: (eventsMax) => new MessageReader(eventsMax),
};
