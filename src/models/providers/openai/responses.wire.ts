import { sentBody } from '#models/conversation/sent-body';
import type { Fields } from '#kernel/json';
import { withoutAbsent } from '#kernel/present';
import { refusalIn } from '../http/answer-status';
import { fieldsOf, textOf } from '../http/json-fields';
import { ProviderFault, contentRefused } from '../http/provider-fault';
import { StreamReader } from '../text/stream-reader';
import { isTooLong, tooLong } from '../text/too-long';
import type { Question, TextWire } from '../text/wire-text.provider';
import { countOf } from '../text/written-conversation';
import type { ConversationPiece, ConversationRequest, TextUsage } from '../text-provider';
import { isBusy, judge } from './openai.wire';

const PATH = 'responses';

const bodyOf = ({ model, conversation, copies }: ConversationRequest): Fields => ({
  ...sentBody(conversation, copies),
  model,
});

const headersOf = ({ ourId }: ConversationRequest) => ({ 'x-client-request-id': ourId });

/** The caller's own body. Only its model and its limit change, and OpenAI stores nothing. */
const question = (request: ConversationRequest): Question => ({
  path: PATH,
  json: { ...bodyOf(request), max_output_tokens: request.maxTokens, store: false, stream: true },
  headers: headersOf(request),
});

/** The fields of a call that its count reads. */
const COUNTED = ['model', 'input', 'instructions', 'tools', 'tool_choice', 'text', 'reasoning'];

const countQuestion = (request: ConversationRequest): Question => ({
  path: `${PATH}/input_tokens`,
  json: Object.fromEntries(Object.entries(bodyOf(request)).filter(([name]) => COUNTED.includes(name))),
  headers: headersOf(request),
});

const usageOf = (value: unknown): TextUsage | undefined => {
  const usage = fieldsOf(value);
  const promptTokens = countOf(usage['input_tokens']);
  const completionTokens = countOf(usage['output_tokens']);
  if (promptTokens === undefined || completionTokens === undefined) return undefined;
  const details = fieldsOf(usage['input_tokens_details']);
  const cached = countOf(details['cached_tokens']);
  const written = countOf(details['cache_write_tokens']);
  return withoutAbsent({
    promptTokens,
    completionTokens,
    cacheReadTokens: cached === 0 ? undefined : cached,
    cacheWriteTokens: written === 0 ? undefined : written,
  });
};

/** The content of an event in the common form, for the meter and the screening. */
const DELTAS: Readonly<Record<string, (delta: string) => Fields>> = {
  'response.output_text.delta': (content) => ({ content }),
  'response.refusal.delta': (refusal) => ({ refusal }),
  'response.reasoning_summary_text.delta': (thought) => ({ reasoning_content: thought }),
  'response.reasoning_text.delta': (thought) => ({ reasoning_content: thought }),
  'response.function_call_arguments.delta': (text) => ({ tool_calls: [{ function: { arguments: text } }] }),
  'response.custom_tool_call_input.delta': (text) => ({ tool_calls: [{ function: { arguments: text } }] }),
};

const CALLS: ReadonlySet<unknown> = new Set(['function_call', 'custom_tool_call', 'tool_search_call']);

const REASONS: Readonly<Record<string, string>> = { content_filter: 'content_filter' };

/** The fields of an event whose texts are no words of the model. */
const NO_WORDS: ReadonlySet<string> = new Set([
  'type',
  'id',
  'item_id',
  'call_id',
  'status',
  'role',
  'phase',
  'encrypted_content',
  'logprobs',
  'obfuscation',
]);

/** The words in an event. The arguments of a call may be an object, and its names are words, too. */
const wordsIn = (event: Fields): readonly string[] => {
  const words: string[] = [];
  const open: [string, unknown][] = Object.entries(event);
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    const [name, value] = next;
    if (NO_WORDS.has(name)) continue;
    if (typeof value === 'string') words.push(value);
    else if (typeof value !== 'object' || value === null) continue;
    else if (name === 'arguments') words.push(JSON.stringify(value));
    else for (const [within, each] of Object.entries(value)) open.push([within, each]);
  }
  return words.reverse();
};

/** Reads the events of a response. The caller gets the same events. */
class ResponseReader extends StreamReader {
  private hasWords = false;
  private hasCalls = false;
  /** The words of each unfinished item so far, by its place in the output. */
  private readonly texts = new Map<unknown, string>();

  protected take(data: string, pieces: ConversationPiece[]): void {
    const event = fieldsOf(JSON.parse(data));
    const type = textOf(event['type']) ?? '';
    switch (type) {
      case 'response.completed':
      case 'response.incomplete':
        this.end(fieldsOf(event['response']), pieces);
        return;
      case 'response.failed':
        throw this.failed(fieldsOf(event['response']));
      case 'error':
        throw this.failed({ error: event['error'] ?? event });
    }
    // The service begins and ends a response itself, because only it knows the id and the charge.
    if (!type.startsWith('response.') || event['response'] !== undefined) return;
    const delta = this.wordsOf(type, event);
    const hidden = type === 'response.output_item.done' ? this.secretIn(fieldsOf(event['item'])) : undefined;
    if (type === 'response.output_item.done') this.texts.delete(event['output_index']);
    this.hasWords ||= Object.keys(delta).length > 0 || hidden !== undefined;
    pieces.push({ delta, native: event, ...(hidden === undefined ? {} : { hidden }) });
  }

  /** The new words of an event: a delta, or the words of another event that no earlier one contains. */
  private wordsOf(type: string, event: Fields): Fields {
    const { output_index: place } = event;
    const before = this.texts.get(place) ?? '';
    const text = textOf(event['delta']);
    const delta = text === undefined ? undefined : DELTAS[type]?.(text);
    if (delta !== undefined) {
      this.texts.set(place, before + text);
      return delta;
    }
    const words = wordsIn(event)
      .filter((each) => !before.includes(each))
      .join('\n');
    if (words === '') return {};
    this.texts.set(place, `${before}\n${words}`);
    return { words };
  }

  /** The thoughts of an item that only their maker can read. */
  private secretIn({ type, encrypted_content: secret }: Fields): Fields | undefined {
    this.hasCalls ||= CALLS.has(type);
    return textOf(secret) === undefined ? undefined : { secret };
  }

  private end(response: Fields, pieces: ConversationPiece[]): void {
    const { reason } = fieldsOf(response['incomplete_details']);
    const isWhole = response['status'] !== 'incomplete';
    const finish = isWhole
      ? this.hasCalls
        ? 'tool_calls'
        : 'stop'
      : (REASONS[textOf(reason) ?? ''] ?? 'length');
    if (!this.hasWords && finish === 'content_filter') throw contentRefused();
    pieces.push({ delta: {}, finishReason: finish });
    const usage = usageOf(response['usage']);
    if (usage !== undefined) pieces.push({ usage });
    this.hasFinish = true;
    this.isDone = true;
  }

  private failed(value: Fields): ProviderFault {
    const refusal = refusalIn(400, value);
    if (this.hasWords) return new ProviderFault('unknown', 'its stream says that it failed');
    if (isTooLong(refusal)) return tooLong(refusal);
    const isUntouched = isBusy(value) || refusal.codes.includes('rate_limit_exceeded');
    const outcome = judge(refusal) ?? (isUntouched ? 'not-accepted' : 'unknown');
    return new ProviderFault(outcome, 'its stream says that it failed');
  }
}

/** OpenAI's Responses, for callers of the same API. */
export const RESPONSES_WIRE: Pick<TextWire, 'speaks' | 'streamed' | 'reader' | 'counts'> = {
  speaks: 'responses',
  streamed: question,
  reader: (eventsMax) => new ResponseReader(eventsMax),
  counts: { question: countQuestion, field: 'input_tokens' },
};
