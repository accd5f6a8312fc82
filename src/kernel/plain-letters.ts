/** Ligatures of whole phrases: one character becomes 18 or 8. No rule and no search contains these phrases. */
const PHRASES = /[\ufdfa\ufdfb]/g;

/**
 * Text in lower-case letters without marks, with look-alike letters replaced. The result is at most seven times as
 * long, so that no text can delay other calls by its growth.
 */
export const plainLetters = (text: string): string =>
  (/[^\u0000-\u007f]/.test(text)
    ? text.replace(PHRASES, ' ').normalize('NFKD').replace(/\p{M}/gu, '')
    : text
  ).toLowerCase();
