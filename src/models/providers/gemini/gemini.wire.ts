import { commonEffort } from '#models/conversation/effort';
import type { Conversation, MediaPart, Part, Turn, AnswerOptions } from '#models/conversation/conversation';
import { type ImageCopies, sentBody } from '#models/conversation/sent-body';
import { newId } from '#kernel/ids';
import { type Fields, isFields, jsonIn } from '#kernel/json';
import { ifPresent, withoutAbsent } from '#kernel/present';
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
  systemOf,
  textIn,
  turnsOf,
} from '../text/written-conversation';
import { StreamReader } from '../text/stream-reader';
import type { TextWire } from '../text/wire-text.provider';
import type { ConversationPiece, ConversationRequest, TextAnswer, TextUsage } from '../text-provider';

/** These models refuse a tool call in the history without its original signature or this placeholder. */
const SIGNS = /gemini-[3-9]/;
const UNSIGNED = 'skip_thought_signature_validator';

/** The token budget of each effort, for models that need a number. */
const BUDGETS: Readonly<Record<string, number>> = { low: 1_024, medium: 8_192, high: 24_576 };

const mediumOf = (part: MediaPart, copies: ImageCopies): object => {
  const { mime: mimeType, data } = copyOf(part, copies);
  return { inlineData: { mimeType, data } };
};

/** Gemini requires an object as the result of a tool. */
const resultOf = (text: string, isError: boolean): object => {
  const value = jsonIn(text);
  if (isFields(value)) return value;
  return isError ? { error: text } : { result: text };
};

const partsOf = (turn: Turn, model: string, copies: ImageCopies): readonly object[] => {
  let calls = 0;
  return turn.parts.flatMap((part: Part): object | readonly object[] => {
    switch (part.kind) {
      case 'text':
      case 'reasoning':
        return { text: part.text };
      case 'call': {
        const needsOne = calls === 0 && SIGNS.test(model);
        calls += 1;
        const thoughtSignature = part.signature ?? (needsOne ? UNSIGNED : undefined);
        return withoutAbsent({ functionCall: { name: part.name, args: inputOf(part) }, thoughtSignature });
      }
      case 'result': {
        if (part.name === '')
          throw notServed('it needs the name of the tool that a result belongs to', part.at);
        const response = resultOf(textIn(part.parts), part.isError);
        const media = part.parts.flatMap((each) => (each.kind === 'text' ? [] : mediumOf(each, copies)));
        return [{ functionResponse: { name: part.name, response } }, ...media];
      }
      default:
        return mediumOf(part, copies);
    }
  });
};

const contentsOf = (turns: readonly Turn[], model: string, copies: ImageCopies): readonly object[] =>
  alternatingMessages(turns, (turn) => partsOf(turn, model, copies)).map(({ isAnswer, parts }) => ({
    role: isAnswer ? 'model' : 'user',
    parts,
  }));

const choiceOf = ({ tools, options: { choice } }: Conversation): object | undefined => {
  if (tools.length === 0 || choice === undefined) return undefined;
  const calling =
    typeof choice === 'object'
      ? { mode: 'ANY', allowedFunctionNames: [choice.name] }
      : { mode: { none: 'NONE', auto: 'AUTO', required: 'ANY' }[choice] };
  return { functionCallingConfig: calling };
};

const thoughtOf = (model: string, wanted: AnswerOptions['effort']): object | undefined => {
  const effort = commonEffort(wanted);
  if (effort === undefined) return undefined;
  return SIGNS.test(model) ? { thinkingLevel: effort } : { thinkingBudget: BUDGETS[effort] };
};

const formatOf = ({ format }: AnswerOptions): object => {
  if (format === undefined) return {};
  const type = { responseMimeType: 'application/json' };
  return format === 'json' ? type : { ...type, responseJsonSchema: format.schema };
};

/** The caller's own body, with our limit. */
const passedOn = ({ conversation, copies, maxTokens }: ConversationRequest): object => {
  const body = sentBody(conversation, copies);
  const generationConfig = { ...fieldsOf(body['generationConfig']), maxOutputTokens: maxTokens };
  return withoutAbsent({ ...body, generationConfig });
};

const translated = ({ model, maxTokens, conversation, copies }: ConversationRequest): object => {
  const { tools, options } = conversation;
  const { stop } = options;
  const system = systemOf(conversation);
  return withoutAbsent({
    systemInstruction: system === '' ? undefined : { parts: [{ text: system }] },
    contents: contentsOf(turnsOf(conversation), model, copies),
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
      temperature: options.temperature,
      topP: options.topP,
      topK: options.topK,
      seed: options.seed,
      frequencyPenalty: options.frequencyPenalty,
      presencePenalty: options.presencePenalty,
      stopSequences: stop.length === 0 ? undefined : stop,
      thinkingConfig: thoughtOf(model, options.effort),
      ...formatOf(options),
    }),
  });
};

export const toContent = (request: ConversationRequest): object =>
  request.conversation.api === 'gemini' ? passedOn(request) : translated(request);

/** Google counts the tokens of each kind of media. */
const ofModality = (details: unknown, modality: string): number | undefined =>
  countOf(
    itemsOf(details)
      .map(fieldsOf)
      .find((each) => each['modality'] === modality)?.['tokenCount'],
  );

/** Google bills thoughts like written text, but counts them separately. */
const usageOf = (value: unknown): TextUsage | undefined => {
  const usage = fieldsOf(value);
  const promptTokens = countOf(usage['promptTokenCount']);
  // An answer that contains only thoughts has no count of candidates.
  const written = countOf(usage['candidatesTokenCount'] ?? 0);
  const thought = countOf(usage['thoughtsTokenCount'] ?? 0);
  if (promptTokens === undefined || written === undefined || thought === undefined) return undefined;
  return withoutAbsent({
    promptTokens,
    completionTokens: written + thought,
    cacheReadTokens: countOf(usage['cachedContentTokenCount']),
    inputAudioTokens: ofModality(usage['promptTokensDetails'], 'AUDIO'),
    inputImageTokens: ofModality(usage['promptTokensDetails'], 'IMAGE'),
  });
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

const finishOf = (finish: string): string => {
  if (finish === 'MAX_TOKENS') return 'length';
  return BLOCKS.has(finish) ? 'content_filter' : 'stop';
};

/** Undefined if the answer is not usable. The service can't charge for an answer without counts. */
export const toTextAnswer = (value: unknown): TextAnswer | undefined => {
  const { finish = '', parts } = candidateIn(value);
  const usage = usageOf(fieldsOf(value)['usageMetadata']);
  const text = parts.map((part) => (part['thought'] === true ? '' : (textOf(part['text']) ?? ''))).join('');
  if (text === '' && BLOCKS.has(finish)) throw contentRefused();
  if (usage === undefined || (text === '' && finish !== 'MAX_TOKENS')) return undefined;
  return { content: text, finishReason: finishOf(finish), ...usage };
};

/** Reads the chunks of one answer. Each chunk is a complete object, with the token counts so far. */
class ContentReader extends StreamReader {
  private calls = 0;
  private hasWords = false;

  protected take(data: string, pieces: ConversationPiece[]): void {
    const chunk = JSON.parse(data) as unknown;
    const { error, usageMetadata } = fieldsOf(chunk);
    if (error !== undefined) throw this.failed(fieldsOf(error));
    const { finish, parts } = candidateIn(chunk);
    for (const part of parts) this.addPart(part, pieces);
    if (finish === undefined) return;
    if (!this.hasWords && BLOCKS.has(finish)) throw contentRefused();
    const reason = finishOf(finish);
    pieces.push({ delta: {}, finishReason: reason === 'stop' && this.calls > 0 ? 'tool_calls' : reason });
    const usage = usageOf(usageMetadata);
    if (usage !== undefined) pieces.push({ usage });
    this.hasFinish = true;
    this.isDone = true;
  }

  private addPart(part: Fields, pieces: ConversationPiece[]): void {
    const { text, thought, functionCall: called } = part;
    const signature = textOf(part['thoughtSignature']);
    const words = textOf(text);
    const delta =
      called === undefined
        ? withoutAbsent(thought === true ? { reasoning_content: words } : { content: words })
        : { tool_calls: [this.callOf(fieldsOf(called), signature)] };
    const proof = called === undefined && signature !== undefined ? { signature } : {};
    if (Object.keys(delta).length === 0) {
      if (signature !== undefined) pieces.push({ delta: {}, signature });
      return;
    }
    pieces.push({ delta: this.hasWords ? delta : { role: 'assistant', ...delta }, ...proof });
    this.hasWords = true;
  }

  /** A tool call arrives in one chunk. Its id is not unique in a conversation, so the call gets a new id. */
  private callOf({ name, args }: Fields, signature: string | undefined): object {
    const called = { name: textOf(name) ?? '', arguments: JSON.stringify(fieldsOf(args)) };
    return withoutAbsent({
      index: this.calls++,
      id: newId('call'),
      type: 'function',
      function: called,
      // Google's own convention for its signatures in OpenAI's interface.
      extra_content: ifPresent(signature, (proof) => ({ google: { thought_signature: proof } })),
    });
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
  speaks: 'gemini',
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
  counts: {
    question: (request) => ({
      path: `models/${request.model}:countTokens`,
      json: { generateContentRequest: { model: `models/${request.model}`, ...toContent(request) } },
    }),
    field: 'totalTokens',
  },
};
