import { CHAT_TOKENS_MAX } from '../../catalog/chat-pricing';
import { InvalidRequest } from '../../kernel/app-error';
import type { CompletionBody, CompletionMessage } from '../completions/completions.dto';
import type { FieldNames } from '../completions/forwarded';

/**
 * A message in the common shape, which is that of `/v1/chat/completions`. `at` and `parts` are the paths of the message
 * and of its parts in the caller's body.
 */
export interface Placed {
  readonly message: CompletionMessage;
  readonly at: string;
  readonly parts?: readonly string[];
}

/** A call of any compatible route, translated into the common shape. */
export interface Translated {
  readonly asked: CompletionBody;
  /** Returns the caller's own name of a field of the common shape. */
  readonly nameOf: FieldNames;
}

/**
 * The field of a token limit. Agents send their model's own limit, such as 32,000, so the service lowers a high limit
 * instead of refusing it.
 */
export const TOKEN_LIMIT = {
  min: 1,
  max: 1_000_000,
  about: `A limit above ${CHAT_TOKENS_MAX} counts as ${CHAT_TOKENS_MAX}.`,
} as const;

/** The token limit for the hold and for the request to the vendor. An answer that reaches it ends with `length`. */
export const limitOf = (wanted: number): number => Math.min(wanted, CHAT_TOKENS_MAX);

/** Translates a token budget for thoughts into an effort, which all models that reason know. */
export const effortOfBudget = (tokens: number): string => {
  if (tokens < 4_096) return 'low';
  return tokens < 16_384 ? 'medium' : 'high';
};

const PLACE = /^messages\[(\d+)\](?:\.content\[(\d+)\])?/;

/** `names` maps fields of the common shape to the route's own names, where they differ. */
export const translated = (
  fields: Omit<CompletionBody, 'messages'>,
  placed: readonly Placed[],
  names: Readonly<Record<string, string>>,
): Translated => ({
  asked: { ...fields, messages: placed.map(({ message }) => message) },
  nameOf: (param) => {
    const [, message, part] = PLACE.exec(param) ?? [];
    const place = message === undefined ? undefined : placed[Number(message)];
    if (place !== undefined)
      return (part === undefined ? undefined : place.parts?.[Number(part)]) ?? place.at;
    const field = /^\w+/.exec(param)?.[0] ?? '';
    return `${names[field] ?? field}${param.slice(field.length)}`;
  },
});

/** Refuses a field of the original API that this service does not support. */
export const refuse = (why: string, param: string): never => {
  throw new InvalidRequest(why, { param, remedies: [{ param }] });
};
