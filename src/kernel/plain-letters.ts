/**
 * Ligatures of whole phrases: one character becomes 18, or 8. Their words are formulas that no rule and no search
 * contains.
 */
const PHRASES = /[\ufdfa\ufdfb]/g;

/**
 * Text in lower-case letters without marks, where letters that look alike are the same. The result is at most seven
 * times as long, so that a growing text delays nobody.
 */
export const plainLetters = (text: string): string =>
  (/[^\u0000-\u007f]/.test(text)
    ? text.replace(PHRASES, ' ').normalize('NFKD').replace(/\p{M}/gu, '')
    : text
  ).toLowerCase();
