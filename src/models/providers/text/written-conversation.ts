import { type Fields, isFields, jsonIn } from '#kernel/json';
import { readCompletion } from '#models/conversation/completions-body';
import type { CallPart, Conversation, MediaPart, Part, Path, Turn } from '#models/conversation/conversation';
import { nameOf } from '#models/conversation/conversation';
import { type ImageCopies, type ImageCopy, NO_IMAGES } from '#models/conversation/sent-body';
import { itemsOf } from '../http/json-fields';
import { ProviderFault } from '../http/provider-fault';
import type { ConversationRequest, TextRequest } from '../text-provider';

export const notServed = (why: string, param: Path): ProviderFault =>
  new ProviderFault('not-served', why, { param });

/** Our copy of an image. Vendors get only copies. */
export const copyOf = (part: MediaPart, copies: ImageCopies): ImageCopy => {
  const copy = copies.get(part.at);
  if (part.kind !== 'image' || copy === undefined) throw notServed('it knows no such part', part.at);
  return copy;
};

/** The arguments of a call as an object. */
export const inputOf = ({ input, at }: CallPart): Fields => {
  if (input === '' || input === undefined) return {};
  const fields = typeof input === 'string' ? jsonIn(input) : input;
  if (isFields(fields)) return fields;
  throw notServed('it knows only objects as arguments of a tool', at);
};

/** Several vendors refuse a message that contains an empty text. */
const isWorthSaying = (part: Part): boolean => part.kind !== 'text' || part.text !== '';

/** The turns with their spoken parts, without the prompts of the system and without earlier thoughts. */
export const turnsOf = ({ turns }: Conversation): readonly Turn[] =>
  turns
    .filter(({ role }) => role !== 'system')
    .map((turn) => ({
      ...turn,
      parts: turn.parts.filter((part) => part.kind !== 'reasoning' && isWorthSaying(part)),
    }));

export const textIn = (parts: readonly Part[]): string =>
  parts.flatMap((part) => (part.kind === 'text' ? part.text : [])).join('\n');

/** All prompts of the system, wherever they are in the conversation, as one text. */
export const systemOf = ({ turns }: Conversation): string =>
  turns
    .filter(({ role }) => role === 'system')
    .map(({ parts }) => textIn(parts))
    .filter((text) => text !== '')
    .join('\n\n');

export const refusePenalties = (conversation: Conversation): void => {
  for (const field of ['frequencyPenalty', 'presencePenalty'] as const) {
    if (conversation.options[field]) throw notServed('it knows no penalty', nameOf(conversation, field));
  }
};

export const asConversation = ({
  messages,
  temperature,
  reasoningEffort,
  ...call
}: TextRequest): ConversationRequest => ({
  ...call,
  conversation: readCompletion({ messages, temperature, reasoning_effort: reasoningEffort }),
  copies: NO_IMAGES,
});

/** A whole number of tokens. Undefined for any other value of a vendor, which then does not count. */
export const countOf = (value: unknown): number | undefined =>
  Number.isSafeInteger(value) && (value as number) >= 0 ? (value as number) : undefined;

/**
 * The turns as alternating messages of two sides, because vendors reject two consecutive messages of one side. All
 * texts and tool results between two answers become one message.
 */
export const alternatingMessages = (
  turns: readonly Turn[],
  partsOf: (turn: Turn) => readonly object[],
): readonly { readonly isAnswer: boolean; readonly parts: readonly object[] }[] => {
  const messages: { readonly isAnswer: boolean; readonly parts: object[] }[] = [];
  for (const turn of turns) {
    const isAnswer = turn.role === 'assistant';
    const parts = partsOf(turn);
    const last = messages.at(-1);
    if (last?.isAnswer === isAnswer) last.parts.push(...parts);
    else if (parts.length > 0) messages.push({ isAnswer, parts: [...parts] });
  }
  return messages;
};

/** The list of a body, without the elements that do not fit. */
export const filtered = (value: unknown, fits: (item: unknown) => boolean): unknown => {
  const items = itemsOf(value);
  return items.every(fits) ? value : items.filter(fits);
};
