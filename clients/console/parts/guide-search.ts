/** A section of a guide, in the form of `guides/search.json`. */
export interface Section {
  readonly guide: string;
  readonly anchor: string;
  readonly heading: string;
  readonly text: string;
}

export interface Hit {
  readonly section: Section;
  /** The words around the first match. */
  readonly excerpt: string;
}

const HITS_MAX = 8;
const BEFORE = 40;
const EXCERPT = 140;

const fold = (text: string): string => text.toLowerCase();

/** The score of a section. The section must contain every word, and words in its heading count most. */
const scoreOf = ({ heading, text }: Section, words: readonly string[]): number => {
  const [head, body] = [fold(heading), fold(text)];
  let score = 0;
  for (const word of words) {
    const isInHead = head.includes(word);
    if (!isInHead && !body.includes(word)) return 0;
    score += (isInHead ? 10 : 0) + (head === word ? 20 : 0) + Math.min(3, body.split(word).length - 1);
  }
  return score;
};

const excerptOf = ({ text }: Section, words: readonly string[]): string => {
  const places = words.map((word) => fold(text).indexOf(word)).filter((place) => place !== -1);
  const from = Math.max(0, Math.min(...places, text.length) - BEFORE);
  const start = places.length === 0 || from === 0 ? 0 : text.indexOf(' ', from) + 1;
  const isWhole = start + EXCERPT >= text.length;
  const end = isWhole ? text.length : text.lastIndexOf(' ', start + EXCERPT);
  return `${start > 0 ? '… ' : ''}${text.slice(start, end)}${isWhole ? '' : ' …'}`;
};

/** The best sections for a typed text. */
export const search = (sections: readonly Section[], typed: string): readonly Hit[] => {
  const words = fold(typed)
    .split(/[\s,]+/)
    .filter((word) => word !== '');
  if (words.length === 0) return [];
  return sections
    .map((section) => ({ section, score: scoreOf(section, words) }))
    .filter(({ score }) => score > 0)
    .sort((a, b) => b.score - a.score)
    .slice(0, HITS_MAX)
    .map(({ section }) => ({ section, excerpt: excerptOf(section, words) }));
};
