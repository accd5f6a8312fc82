import { InvalidRequest } from '#kernel/app-error';
import { charsOf } from './token-estimate';

/** The limits of a chat call, which also bound its price. */
export const CHAT_MESSAGES_MAX = 50;
export const CHAT_CHARS_MAX = 48_000;
export const CHAT_TOKENS_MAX = 8_192;
export const CHAT_TOKENS_DEFAULT = 1_024;

/** The number of characters of a chat call, which decides its price. Refuses a call with too many. */
export const pricedCharsOf = (messages: readonly { readonly content: string }[]): number => {
  const chars = charsOf(messages);
  if (chars > CHAT_CHARS_MAX) {
    throw new InvalidRequest(`messages hold ${chars} characters; at most ${CHAT_CHARS_MAX} are taken.`, {
      param: 'messages',
    });
  }
  return chars;
};
