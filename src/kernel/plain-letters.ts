/**
 * Ligatures of whole phrases, which would become 18 or 8 characters. They are removed, because no rule and no search
 * contains them.
 */
const PHRASES = /[\ufdfa\ufdfb]/g;

/**
 * Text in lower-case letters without marks. Other forms of letters, such as fullwidth ones, become plain letters. The
 * result is at most seven times as long as the text, so that no text can grow so much that it delays other calls.
 */
export const plainLetters = (text: string): string =>
  (/[^\u0000-\u007f]/.test(text)
    ? text.replace(PHRASES, ' ').normalize('NFKD').replace(/\p{M}/gu, '')
    : text
  ).toLowerCase();
