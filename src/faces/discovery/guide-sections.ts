import { type Token, type Tokens, marked } from 'marked';

/** A section of a guide that a search can find. */
export interface Section {
  readonly guide: string;
  /** The anchor on the page of the guide; empty for the top of the page. */
  readonly anchor: string;
  readonly heading: string;
  readonly text: string;
}

/** Makes the same anchors as GitHub, so that links between guides also work there. Error codes stay unchanged. */
export const anchorOf = (heading: string): string =>
  /^[A-Z_]+$/.test(heading)
    ? heading
    : heading
        .toLowerCase()
        .replaceAll(/[^\p{L}\p{N}\s-]/gu, '')
        .trim()
        .replaceAll(/\s/g, '-');

/** The visible text without Markdown marks. Code stays unchanged. */
const plain = (token: Token): string => {
  if (token.type === 'html') return '';
  if (token.type === 'table') {
    const { header, rows } = token as Tokens.Table;
    return [header, ...rows].flatMap((row) => row.map((cell) => cell.tokens.map(plain).join(''))).join(' ');
  }
  if (token.type === 'list') return (token as Tokens.List).items.map(plain).join(' ');
  const { tokens, text, raw } = token as Tokens.Generic;
  return tokens === undefined ? ((text as string | undefined) ?? raw) : tokens.map(plain).join('');
};

export const sectionsOf = (guide: string, markdown: string): readonly Section[] => {
  const sections: { guide: string; anchor: string; heading: string; text: string }[] = [];
  for (const token of marked.lexer(markdown)) {
    if (token.type === 'heading') {
      const heading = plain(token);
      const anchor = (token as Tokens.Heading).depth === 1 ? '' : anchorOf(heading);
      sections.push({ guide, anchor, heading, text: '' });
      continue;
    }
    const section = sections.at(-1);
    if (section !== undefined)
      section.text = `${section.text} ${plain(token)}`.replaceAll(/\s+/g, ' ').trim();
  }
  return sections;
};
