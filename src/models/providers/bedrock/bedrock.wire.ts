import { type Conversation, type Part, type Turn, nameOf } from '#models/conversation/conversation';
import type { ImageCopies } from '#models/conversation/sent-body';
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
  inputOf,
  notServed,
  refusePenalties,
  systemOf,
  turnsOf,
} from '../text/written-conversation';
import { StreamReader } from '../text/stream-reader';
import type { Question, TextWire } from '../text/wire-text.provider';
import type { ConversationPiece, ConversationRequest, TextAnswer, TextUsage } from '../text-provider';
import { eventStream } from './event-stream';

const IMAGES: Readonly<Record<string, string>> = {
  'image/jpeg': 'jpeg',
  'image/png': 'png',
  'image/gif': 'gif',
  'image/webp': 'webp',
};

/** Ids of another vendor may be too long, or contain characters that Bedrock refuses. */
const idOf = (id: string): string => id.replaceAll(/[^A-Za-z0-9_-]/g, '_').slice(0, 64);

const blockOf = (part: Part, copies: ImageCopies): object => {
  switch (part.kind) {
    case 'text':
    case 'reasoning':
      return { text: part.text };
    case 'call':
      return { toolUse: { toolUseId: idOf(part.id), name: part.name, input: inputOf(part) } };
    case 'result':
      return {
        toolResult: {
          toolUseId: idOf(part.of),
          content: part.parts.map((each) => blockOf(each, copies)),
          ...(part.isError ? { status: 'error' } : {}),
        },
      };
    default: {
      const { mime, data } = copyOf(part, copies);
      const format = IMAGES[mime];
      if (format === undefined) throw notServed('it does not know this kind of image', part.at);
      return { image: { format, source: { bytes: data } } };
    }
  }
};

const messagesOf = (turns: readonly Turn[], copies: ImageCopies): readonly object[] =>
  alternatingMessages(turns, ({ parts }) => parts.map((part) => blockOf(part, copies))).map(
    ({ isAnswer, parts }) => ({ role: isAnswer ? 'assistant' : 'user', content: parts }),
  );

const choiceOf = (conversation: Conversation): object | undefined => {
  const { choice } = conversation.options;
  if (choice === 'none') throw notServed('it cannot forbid its tools', nameOf(conversation, 'choice'));
  if (typeof choice === 'object') return { tool: { name: choice.name } };
  return choice === undefined ? undefined : choice === 'required' ? { any: {} } : { auto: {} };
};

const toolsOf = (conversation: Conversation): object | undefined => {
  const { tools, options } = conversation;
  if (tools.length === 0) return undefined;
  if (options.parallel === false)
    throw notServed('it may call several tools at once', nameOf(conversation, 'parallel'));
  return withoutAbsent({
    tools: tools.map(({ name, description, parameters, strict }) => ({
      toolSpec: withoutAbsent({
        name,
        description,
        inputSchema: { json: { type: 'object', ...parameters } },
        strict: strict === true ? true : undefined,
      }),
    })),
    toolChoice: choiceOf(conversation),
  });
};

const outputOf = (conversation: Conversation): object | undefined => {
  const { format } = conversation.options;
  if (format === undefined) return undefined;
  if (format === 'json') throw notServed('it writes JSON by a schema only', nameOf(conversation, 'format'));
  const schema = JSON.stringify(format.schema);
  return { textFormat: { type: 'json_schema', structure: { jsonSchema: { schema, name: 'answer' } } } };
};

const toConverse = ({ maxTokens, conversation, copies }: ConversationRequest): object => {
  const { stop, temperature, topP } = conversation.options;
  const system = systemOf(conversation);
  refusePenalties(conversation);
  return withoutAbsent({
    messages: messagesOf(turnsOf(conversation), copies),
    system: system === '' ? undefined : [{ text: system }],
    inferenceConfig: withoutAbsent({
      maxTokens,
      temperature: temperature === undefined ? undefined : Math.min(1, temperature),
      // Some models accept either a temperature or `topP`, not both.
      topP: temperature === undefined ? topP : undefined,
      stopSequences: stop.length === 0 ? undefined : stop,
    }),
    toolConfig: toolsOf(conversation),
    outputConfig: outputOf(conversation),
  });
};

/** Bedrock's count of the prompt excludes the tokens that it read from its cache or wrote into it. */
const usageOf = (value: unknown): TextUsage | undefined => {
  const usage = fieldsOf(value);
  const [input, completionTokens] = [countOf(usage['inputTokens']), countOf(usage['outputTokens'])];
  if (input === undefined || completionTokens === undefined) return undefined;
  const cacheReadTokens = countOf(usage['cacheReadInputTokens']);
  const cacheWriteTokens = countOf(usage['cacheWriteInputTokens']);
  return withoutAbsent({
    promptTokens: input + (cacheReadTokens ?? 0) + (cacheWriteTokens ?? 0),
    completionTokens,
    cacheReadTokens,
    cacheWriteTokens,
  });
};

/** The stop reasons that mean a refusal of the content. */
const BLOCKS: ReadonlySet<string> = new Set(['guardrail_intervened', 'content_filtered']);
const FINISHES: Readonly<Record<string, string>> = {
  max_tokens: 'length',
  model_context_window_exceeded: 'length',
  tool_use: 'tool_calls',
  guardrail_intervened: 'content_filter',
  content_filtered: 'content_filter',
};

const finishOf = (reason: unknown): string => FINISHES[textOf(reason) ?? ''] ?? 'stop';

/** Undefined if the answer is not usable. The service can't charge for an answer without counts. */
const toTextAnswer = (value: unknown): TextAnswer | undefined => {
  const { output, stopReason, usage } = fieldsOf(value);
  const { content } = fieldsOf(fieldsOf(output)['message']);
  const counted = usageOf(usage);
  const text = itemsOf(content)
    .map((block) => textOf(fieldsOf(block)['text']) ?? '')
    .join('');
  if (text === '' && BLOCKS.has(String(stopReason))) throw contentRefused();
  if (counted === undefined || !Array.isArray(content)) return undefined;
  if (text === '' && stopReason !== 'max_tokens') return undefined;
  return { content: text, finishReason: finishOf(stopReason), ...counted };
};

/** Exceptions before the first piece which mean that Bedrock did not accept the work. */
const TOO_BUSY: ReadonlySet<string> = new Set(['throttlingException', 'serviceUnavailableException']);

/** Reads the events of one message. */
class ConverseReader extends StreamReader {
  private hasWords = false;
  /** Maps the block of a tool call to its number among the calls, because clients count only calls. */
  private readonly calls = new Map<unknown, number>();

  protected take(data: string, pieces: ConversationPiece[]): void {
    const event = fieldsOf(JSON.parse(data));
    const { type, kind, contentBlockIndex: index } = event;
    if (kind === 'exception' || kind === 'error') throw this.failed(String(type));
    switch (type) {
      case 'contentBlockStart':
        this.begin(index, fieldsOf(fieldsOf(event['start'])['toolUse']), pieces);
        break;
      case 'contentBlockDelta':
        this.onDelta(index, fieldsOf(event['delta']), pieces);
        break;
      case 'messageStop':
        this.end(textOf(event['stopReason']) ?? '', pieces);
        break;
      case 'metadata':
        this.count(event['usage'], pieces);
    }
  }

  private begin(index: unknown, { toolUseId: id, name }: Fields, pieces: ConversationPiece[]): void {
    if (textOf(name) === undefined) return;
    const call = this.calls.size;
    this.calls.set(index, call);
    const called = { name, arguments: '' };
    this.addDelta({ tool_calls: [{ index: call, id, type: 'function', function: called }] }, pieces);
  }

  private onDelta(
    index: unknown,
    { text, toolUse, reasoningContent }: Fields,
    pieces: ConversationPiece[],
  ): void {
    const call = this.calls.get(index);
    const json = textOf(fieldsOf(toolUse)['input']);
    if (textOf(text) !== undefined) this.addDelta({ content: text }, pieces);
    const thought = textOf(fieldsOf(reasoningContent)['text']);
    if (thought !== undefined) this.addDelta({ reasoning_content: thought }, pieces);
    if (call === undefined || json === undefined) return;
    this.addDelta({ tool_calls: [{ index: call, function: { arguments: json } }] }, pieces);
  }

  private addDelta(delta: Fields, pieces: ConversationPiece[]): void {
    pieces.push({ delta: this.hasWords ? delta : { role: 'assistant', ...delta } });
    this.hasWords = true;
  }

  /** The counts follow in a later event. Even if they never arrive, the answer is complete. */
  private end(reason: string, pieces: ConversationPiece[]): void {
    if (!this.hasWords && BLOCKS.has(reason)) throw contentRefused();
    pieces.push({ delta: {}, finishReason: finishOf(reason) });
    this.hasFinish = true;
  }

  private count(value: unknown, pieces: ConversationPiece[]): void {
    const usage = usageOf(value);
    if (usage !== undefined) pieces.push({ usage });
    this.isDone = this.hasFinish;
  }

  private failed(type: string): ProviderFault {
    const isUntouched = !this.hasWords && TOO_BUSY.has(type);
    return new ProviderFault(isUntouched ? 'not-accepted' : 'unknown', 'its stream says that it failed');
  }
}

/** The pattern matches only the beginning of a message, because later words may quote a caller. */
const UNPAID = /^model access is denied due to INVALID_PAYMENT_INSTRUMENT\b/i;

/** Bedrock reports an account without a means of payment as 403. A 424 is a failure of the model, not of the caller. */
export const judge = ({ status, message }: Refusal): FaultOutcome | undefined => {
  if (UNPAID.test(message)) return 'empty-account';
  return status === 424 ? 'unknown' : undefined;
};

const ask = (path: string, request: ConversationRequest): Question => ({
  path: `model/${encodeURIComponent(request.model)}/${path}`,
  json: toConverse(request),
});

export const BEDROCK_WIRE: TextWire = {
  whole: (request) => ask('converse', asConversation(request)),
  streamed: (request) => ({
    ...ask('converse-stream', request),
    headers: { accept: 'application/vnd.amazon.eventstream' },
  }),
  answer: toTextAnswer,
  reader: (eventsMax) => new ConverseReader(eventsMax),
  events: eventStream,
};
