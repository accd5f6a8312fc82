import { ceilDiv } from '#kernel/money';

/** The most tokens that a vendor reads, for a route whose context is not known. */
export const CONTEXT_TOKENS_MAX = 1_000_000;

/** The number of Unicode code points, as people count characters. A simple emoji is one. */
export const codePoints = (text: string): number => {
  let count = 0;
  for (let at = 0; at < text.length; at += 1) {
    const unit = text.charCodeAt(at);
    // The second half of a surrogate pair belongs to the character that was just counted.
    if (unit < 0xdc00 || unit > 0xdfff) count += 1;
  }
  return count;
};

export const charsOf = (messages: readonly { readonly content: string }[]): number =>
  messages.reduce((sum, { content }) => sum + codePoints(content), 0);

/** The most tokens that a vendor adds for the role and the borders of a message. */
const MESSAGE_TOKENS_MAX = 8;

/** The most tokens that any tokenizer counts: one for each byte, and those of each message. */
export const tokensMaxOf = (messages: readonly { readonly content: string }[]): number =>
  messages.reduce((sum, { content }) => sum + Buffer.byteLength(content) + MESSAGE_TOKENS_MAX, 0);

/** Estimates one token for 3.5 characters, rounded up. `2 * chars / 7` needs only whole numbers. */
export const estimatedTokens = (chars: number): bigint => ceilDiv(2n * BigInt(chars), 7n);
