import { fieldsOf, itemsOf, textOf } from '../http/answer-status';
import type { FaultOutcome } from '../http/provider-fault';
import type { ConversationPiece, ConversationRequest, TextAnswer, TextRequest } from '../text-provider';

/** Models that think first have a limit for both and a fixed temperature; other servers know only the older name. */
const thinks = (model: string): boolean => /(^|\/)(o\d|gpt-5)/.test(model);

const limitOf = (model: string, maxTokens: number): Readonly<Record<string, number>> =>
  thinks(model) ? { max_completion_tokens: maxTokens } : { max_tokens: maxTokens };

export const toCompletionBody = (request: TextRequest): object => ({
  model: request.model,
  messages: request.messages.map(({ role, content }) => ({ role, content })),
  ...limitOf(request.model, request.maxTokens),
  ...(request.temperature === undefined || thinks(request.model) ? {} : { temperature: request.temperature }),
  ...(request.reasoningEffort === undefined ? {} : { reasoning_effort: request.reasoningEffort }),
});

/** What a caller passes through stays as it is; the model, the limit and the stream are ours to say. */
export const toConversationBody = ({ model, maxTokens, body }: ConversationRequest): object => {
  const { max_tokens: _, max_completion_tokens: __, ...passed } = body;
  return {
    ...passed,
    model,
    ...limitOf(model, maxTokens),
    stream: true,
    stream_options: { include_usage: true },
  };
};

interface Usage {
  readonly promptTokens: number;
  readonly completionTokens: number;
}

const isCount = (value: unknown): value is number => Number.isSafeInteger(value) && (value as number) >= 0;

const usageOf = (value: unknown): Usage | undefined => {
  const { prompt_tokens: promptTokens, completion_tokens: completionTokens } = fieldsOf(value);
  return isCount(promptTokens) && isCount(completionTokens) ? { promptTokens, completionTokens } : undefined;
};

/** Servers that count nothing are rare; a rough count is better than a zero that looks like one. */
const guessed = (text: string): number => Math.ceil(text.length / 4);

/** Undefined when this is no completion. A refusal is an answer; a model that spent its limit thinking says nothing. */
export const toTextAnswer = (value: unknown, request: TextRequest): TextAnswer | undefined => {
  const { choices, usage } = fieldsOf(value);
  const message = fieldsOf(itemsOf(choices)[0])['message'];
  if (typeof message !== 'object' || message === null) {
    return undefined;
  }
  const { content, refusal } = fieldsOf(message);
  const text = textOf(content) ?? textOf(refusal) ?? '';
  return {
    content: text,
    ...(usageOf(usage) ?? {
      promptTokens: guessed(request.messages.map((each) => each.content).join('')),
      completionTokens: guessed(text),
    }),
  };
};

/** The fields of a delta that clients know. Anything else a server adds stays behind. */
const DELTA_FIELDS: ReadonlySet<string> = new Set([
  'role',
  'content',
  'refusal',
  'tool_calls',
  'reasoning_content',
]);

/** Undefined when a chunk says that the stream has failed, or is none. */
export const toPieces = (value: unknown): readonly ConversationPiece[] | undefined => {
  const chunk = fieldsOf(value);
  if (chunk['error'] !== undefined && chunk['error'] !== null) return undefined;
  if (!Array.isArray(chunk['choices']) && chunk['usage'] === undefined) return undefined;
  const pieces: ConversationPiece[] = [];
  const choice = fieldsOf(itemsOf(chunk['choices'])[0]);
  const known = Object.entries(fieldsOf(choice['delta'])).filter(([name]) => DELTA_FIELDS.has(name));
  const finishReason = textOf(choice['finish_reason']);
  if (known.length > 0 || finishReason !== undefined) {
    const delta = Object.fromEntries(known);
    pieces.push(finishReason === undefined ? { delta } : { delta, finishReason });
  }
  const usage = usageOf(chunk['usage']);
  if (usage !== undefined) pieces.push({ usage });
  return pieces;
};

const OUR_BILL: ReadonlySet<string> = new Set(['billing_hard_limit_reached', 'insufficient_quota']);
const TOO_BUSY: ReadonlySet<string> = new Set(['engine_overloaded', 'overloaded', 'slow_down']);

/** An unpaid bill of ours comes as 400, and a busy engine as 503: neither has taken the work. */
export const judge = (_status: number, codes: readonly string[]): FaultOutcome | undefined =>
  codes.some((code) => OUR_BILL.has(code) || TOO_BUSY.has(code)) ? 'not-accepted' : undefined;
