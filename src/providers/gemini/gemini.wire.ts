import { newId } from '../../kernel/ids';
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
import type { TextWire } from '../text/wire-text.provider';
import type { ConversationPiece, ConversationRequest, TextAnswer, TextUsage } from '../text-provider';

/** These models refuse a tool call in the history without its original signature or this placeholder. */
const SIGNS = /gemini-[3-9]/;
const UNSIGNED = 'skip_thought_signature_validator';

/** The token budget of each effort, for models that need a number. */
const BUDGETS: Readonly<Record<string, number>> = { low: 1_024, medium: 8_192, high: 24_576 };

const partOf = (part: Part): object =>
  part.kind === 'text' ? { text: part.text } : { inlineData: { mimeType: part.mime, data: part.data } };

/** Gemini requires an object as the result of a tool. */
const resultOf = (parts: readonly Part[]): object => {
  const text = parts.map((part) => (part.kind === 'text' ? part.text : '')).join('\n');
  try {
    const value = JSON.parse(text) as unknown;
    if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value;
  } catch {
    // Most tools answer with plain text.
  }
  return { result: text };
};

const partsOf = (turn: Turn, model: string): readonly object[] => {
  const parts = turn.parts.map(partOf);
  if (turn.role === 'user') return parts;
  if (turn.role === 'assistant') {
    const calls = turn.calls.map(({ name, input }, at) => ({
      functionCall: { name, args: input },
      ...(at === 0 && SIGNS.test(model) ? { thoughtSignature: UNSIGNED } : {}),
    }));
    return [...parts, ...calls];
  }
  if (turn.name === '') throw notServed('it needs the name of the tool that a result belongs to', 'messages');
  return [
    { functionResponse: { name: turn.name, response: resultOf(turn.parts) } },
    ...turn.parts.filter(({ kind }) => kind === 'image').map(partOf),
  ];
};

const contentsOf = (turns: readonly Turn[], model: string): readonly object[] =>
  alternatingMessages(turns, (turn) => partsOf(turn, model)).map(({ isAnswer, parts }) => ({
    role: isAnswer ? 'model' : 'user',
    parts,
  }));

const choiceOf = ({ tools, choice }: Conversation): object | undefined => {
  if (tools.length === 0 || choice === undefined) return undefined;
  const calling =
    typeof choice === 'object'
      ? { mode: 'ANY', allowedFunctionNames: [choice.name] }
      : { mode: { none: 'NONE', auto: 'AUTO', required: 'ANY' }[choice] };
  return { functionCallingConfig: calling };
};

const thoughtOf = (model: string, effort: string | undefined): object | undefined => {
  if (effort === undefined) return undefined;
  return SIGNS.test(model) ? { thinkingLevel: effort } : { thinkingBudget: BUDGETS[effort] };
};

const formatOf = ({ format }: Conversation): object => {
  if (format === undefined) return {};
  const type = { responseMimeType: 'application/json' };
  return format === 'json' ? type : { ...type, responseJsonSchema: format.schema };
};

export const toContent = ({ model, maxTokens, body }: ConversationRequest): object => {
  const conversation = readConversation(body);
  const { system, turns, tools, stop } = conversation;
  return withoutAbsent({
    systemInstruction: system === '' ? undefined : { parts: [{ text: system }] },
    contents: contentsOf(turns, model),
    tools:
      tools.length === 0
        ? undefined
        : [
            {
              functionDeclarations: tools.map(({ name, description, parameters }) =>
                withoutAbsent({ name, description, parametersJsonSchema: parameters }),
              ),
            },
          ],
    toolConfig: choiceOf(conversation),
    generationConfig: withoutAbsent({
      maxOutputTokens: maxTokens,
      temperature: conversation.temperature,
      topP: conversation.topP,
      seed: conversation.seed,
      frequencyPenalty: conversation.frequencyPenalty,
      presencePenalty: conversation.presencePenalty,
      stopSequences: stop.length === 0 ? undefined : stop,
      thinkingConfig: thoughtOf(model, conversation.effort),
      ...formatOf(conversation),
    }),
  });
};

/** Google bills thoughts like written text, but counts them separately. */
const usageOf = (value: unknown): TextUsage | undefined => {
  const usage = fieldsOf(value);
  const promptTokens = countOf(usage['promptTokenCount']);
  // An answer that contains only thoughts has no count of candidates.
  const written = countOf(usage['candidatesTokenCount'] ?? 0);
  const thought = countOf(usage['thoughtsTokenCount'] ?? 0);
  if (promptTokens === undefined || written === undefined || thought === undefined) return undefined;
  const cacheReadTokens = countOf(usage['cachedContentTokenCount']);
  return withoutAbsent({ promptTokens, completionTokens: written + thought, cacheReadTokens });
};

/** The finish reasons that mean a refusal of the content. */
const BLOCKS: ReadonlySet<string> = new Set([
  'SAFETY',
  'RECITATION',
  'BLOCKLIST',
  'PROHIBITED_CONTENT',
  'SPII',
  'IMAGE_SAFETY',
  'LANGUAGE',
]);

const candidateIn = (value: unknown): { readonly finish?: string; readonly parts: readonly Fields[] } => {
  const answer = fieldsOf(value);
  if (textOf(fieldsOf(answer['promptFeedback'])['blockReason']) !== undefined) throw contentRefused();
  const candidate = fieldsOf(itemsOf(answer['candidates'])[0]);
  const { parts } = fieldsOf(candidate['content']);
  return { finish: textOf(candidate['finishReason']), parts: itemsOf(parts).map(fieldsOf) };
};

/** Undefined if the answer is not usable. The service can't charge for an answer without counts. */
export const toTextAnswer = (value: unknown): TextAnswer | undefined => {
  const { finish = '', parts } = candidateIn(value);
  const usage = usageOf(fieldsOf(value)['usageMetadata']);
  const text = parts.map((part) => (part['thought'] === true ? '' : (textOf(part['text']) ?? ''))).join('');
  if (text === '' && BLOCKS.has(finish)) throw contentRefused();
  if (usage === undefined || (text === '' && finish !== 'MAX_TOKENS')) return undefined;
  return { content: text, ...usage };
};

/** Reads the chunks of one answer. Each chunk is a complete object, with the token counts so far. */
class ContentReader extends StreamReader {
  private calls = 0;
  private hasWords = false;

  protected take(data: string, said: ConversationPiece[]): void {
    const chunk = JSON.parse(data) as unknown;
    const { error, usageMetadata } = fieldsOf(chunk);
    if (error !== undefined) throw this.failed(fieldsOf(error));
    const { finish, parts } = candidateIn(chunk);
    for (const part of parts) this.say(part, said);
    if (finish === undefined) return;
    if (!this.hasWords && BLOCKS.has(finish)) throw contentRefused();
    said.push({ delta: {}, finishReason: this.finishOf(finish) });
    const usage = usageOf(usageMetadata);
    if (usage !== undefined) said.push({ usage });
    this.hasFinish = true;
    this.isDone = true;
  }

  private say({ text, thought, functionCall: called }: Fields, said: ConversationPiece[]): void {
    const words = textOf(text);
    const delta =
      called === undefined
        ? withoutAbsent(thought === true ? { reasoning_content: words } : { content: words })
        : { tool_calls: [this.callOf(fieldsOf(called))] };
    if (Object.keys(delta).length === 0) return;
    said.push({ delta: this.hasWords ? delta : { role: 'assistant', ...delta } });
    this.hasWords = true;
  }

  /** A tool call arrives in one chunk. Its id is not unique in a conversation, so the call gets a new id. */
  private callOf({ name, args }: Fields): object {
    const called = { name: textOf(name) ?? '', arguments: JSON.stringify(fieldsOf(args)) };
    return { index: this.calls++, id: newId('call'), type: 'function', function: called };
  }

  private finishOf(finish: string): string {
    if (finish === 'MAX_TOKENS') return 'length';
    if (BLOCKS.has(finish)) return 'content_filter';
    return this.calls > 0 ? 'tool_calls' : 'stop';
  }

  private failed({ code, message }: Fields): ProviderFault {
    const isUntouched = !this.hasWords && (code === 429 || OVERLOADED.test(textOf(message) ?? ''));
    return new ProviderFault(isUntouched ? 'not-accepted' : 'unknown', 'its stream says that it failed');
  }
}

/** The patterns match only the beginning of a message, because later words may quote a caller. */
const EMPTY_ACCOUNT = /^your prepayment credits are depleted\b/i;
const UNBILLED = /^this api method requires billing to be enabled\b/i;
const BAD_KEY = /^api key (not valid|expired|not found)\b/i;
const OVERLOADED = /^(the model is overloaded|this model is currently experiencing high demand)\b/i;

/** Gemini reports a bad key and an account without billing as 400, like a caller's mistake. */
export const judge = ({ codes, message }: Refusal): FaultOutcome | undefined => {
  if (EMPTY_ACCOUNT.test(message) || UNBILLED.test(message)) return 'empty-account';
  const isOurs = BAD_KEY.test(message) || OVERLOADED.test(message) || codes.includes('FAILED_PRECONDITION');
  return isOurs ? 'not-accepted' : undefined;
};

export const GEMINI_WIRE: TextWire = {
  whole: (request) => ({
    path: `models/${request.model}:generateContent`,
    json: toContent(asConversation(request)),
  }),
  streamed: (request) => ({
    path: `models/${request.model}:streamGenerateContent?alt=sse`,
    json: toContent(request),
  }),
  answer: toTextAnswer,
  reader: (eventsMax) => new ContentReader(eventsMax),
};
