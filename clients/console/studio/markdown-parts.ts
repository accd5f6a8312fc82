/** A part of a line of Markdown. */
export type Inline =
  | string
  | { readonly kind: 'code'; readonly text: string }
  | { readonly kind: 'strong' | 'em'; readonly parts: readonly Inline[] }
  | { readonly kind: 'link'; readonly href: string; readonly text: string };

export type Block =
  | { readonly kind: 'code'; readonly language: string; readonly code: string }
  | { readonly kind: 'heading' | 'text'; readonly parts: readonly Inline[] }
  | { readonly kind: 'rule' }
  | { readonly kind: 'quote'; readonly blocks: readonly Block[] }
  | {
      readonly kind: 'list';
      readonly start: number | undefined;
      readonly items: readonly (readonly Inline[])[];
    }
  | { readonly kind: 'table'; readonly head: Row; readonly rows: readonly Row[] };

type Row = readonly (readonly Inline[])[];

/**
 * A model's answer is any text, and the browser keeps it, so a text that freezes the page would freeze it for ever. Each
 * limit keeps the work linear: nothing nests deeper, no search for an end looks further, and the rest stays plain text.
 */
const DEPTH_MAX = 8;
const CHARS_MAX = 100_000;
const LINES_MAX = 5_000;
/** The most spans and cells of an answer, because each is a node of the page. */
const SPANS_MAX = 2_000;
const LABEL_CHARS_MAX = 1_000;
const HREF_CHARS_MAX = 2_000;

/** Only addresses of these kinds in a model's text become links. All others stay text. */
const LINK = /^(https?:\/\/|mailto:)/i;

/** The number of further spans and cells. */
interface Budget {
  left: number;
}

/** Finds the ends of spans. A mark without an end has none for later starts either, so it is searched once. */
class Ends {
  private readonly missing = new Set<string>();

  constructor(private readonly text: string) {}

  /** The first place of the mark from a place on that the rule admits, or -1. */
  next(mark: string, from: number, admits: (at: number) => boolean = () => true): number {
    if (this.missing.has(mark)) return -1;
    for (let at = this.text.indexOf(mark, from); at !== -1; at = this.text.indexOf(mark, at + 1))
      if (admits(at)) return at;
    this.missing.add(mark);
    return -1;
  }
}

interface Span {
  readonly part: Inline;
  /** The place behind the span. */
  readonly end: number;
}

const linkAt = (text: string, at: number): Span | undefined => {
  const label = at + (text[at] === '!' ? 2 : 1);
  const close = text.slice(label, label + LABEL_CHARS_MAX).indexOf(']');
  const open = label + close + 1;
  if (close === -1 || text[open] !== '(') return undefined;
  const inner = text.slice(open + 1, open + 1 + HREF_CHARS_MAX);
  const end = inner.indexOf(')');
  const [href = ''] = end === -1 ? [] : inner.slice(0, end).split(/\s/, 1);
  if (href === '') return undefined;
  const behind = open + 1 + end + 1;
  const words = text.slice(label, label + close);
  const part: Inline = LINK.test(href)
    ? { kind: 'link', href, text: words === '' ? href : words }
    : text.slice(at, behind);
  return { part, end: behind };
};

const isSpace = (letter: string | undefined): boolean => letter === undefined || /\s/.test(letter);

const spanAt = (text: string, at: number, ends: Ends, depth: number, budget: Budget): Span | undefined => {
  const letter = text[at];
  if (letter === '[' || (letter === '!' && text[at + 1] === '[')) return linkAt(text, at);
  for (const mark of ['**', '__']) {
    if (!text.startsWith(mark, at)) continue;
    const end = ends.next(mark, at + 3);
    if (end !== -1)
      return {
        part: { kind: 'strong', parts: inlineOf(text.slice(at + 2, end), depth + 1, budget) },
        end: end + 2,
      };
  }
  if (letter !== '*' || isSpace(text[at + 1]) || text[at + 1] === '*') return undefined;
  const end = ends.next('*', at + 2, (place) => text[place - 1] !== '*' && !isSpace(text[place - 1]));
  return end === -1
    ? undefined
    : { part: { kind: 'em', parts: inlineOf(text.slice(at + 1, end), depth + 1, budget) }, end: end + 1 };
};

/** The parts of a text, in one pass. */
export const inlineOf = (
  text: string,
  depth = 0,
  budget: Budget = { left: SPANS_MAX },
): readonly Inline[] => {
  if (depth >= DEPTH_MAX) return [text];
  const parts: Inline[] = [];
  const ends = new Ends(text);
  const starts = /`+|[*_![]/g;
  let plain = 0;
  for (let found = starts.exec(text); found !== null && budget.left > 0; found = starts.exec(text)) {
    const [mark] = found;
    const at = found.index;
    const close = mark.startsWith('`') ? ends.next(mark, at + mark.length + 1) : -1;
    const code = close === -1 ? '' : text.slice(at + mark.length, close);
    const span: Span | undefined = mark.startsWith('`')
      ? close === -1
        ? undefined
        : { part: { kind: 'code', text: code }, end: close + mark.length }
      : spanAt(text, at, ends, depth, budget);
    if (span === undefined) continue;
    budget.left -= 1;
    if (at > plain) parts.push(text.slice(plain, at));
    parts.push(span.part);
    plain = span.end;
    starts.lastIndex = span.end;
  }
  if (plain < text.length) parts.push(text.slice(plain));
  return parts;
};

const ITEM = /^\s*(?:[-*+]|\d{1,9}[.)])\s+/;
const HEADING = /^#{1,6}\s+/;
const RULE = /^\s*([-*_])(\s*\1){2,}\s*$/;

const cellsOf = (line: string, budget: Budget): Row => {
  const cells = line
    .trim()
    .replace(/^\||\|$/g, '')
    .split('|');
  if (cells.length > budget.left) return [[line]];
  budget.left -= cells.length;
  return cells.map((cell) => inlineOf(cell.trim(), 0, budget));
};

const listOf = (lines: readonly string[], budget: Budget): Block => {
  const items: string[][] = [];
  for (const line of lines) {
    if (ITEM.test(line)) items.push([line.replace(ITEM, '')]);
    else items.at(-1)?.push(line.trim());
  }
  const [first = ''] = lines;
  const start = /^\s*\d/.test(first) ? Number.parseInt(first, 10) : undefined;
  return { kind: 'list', start, items: items.map((item) => inlineOf(item.join('\n'), 0, budget)) };
};

const isTable = (first: string, second: string): boolean =>
  first.includes('|') && second.includes('-') && /^[\s|:-]+$/.test(second);

/** The blocks of lines without an empty one between them: headings and rules, then at most one text before a list. */
const blocksOf = (lines: readonly string[], depth: number, budget: Budget): readonly Block[] => {
  const blocks: Block[] = [];
  let at = 0;
  for (; HEADING.test(lines[at] ?? ''); at += 1)
    blocks.push({ kind: 'heading', parts: inlineOf((lines[at] ?? '').replace(HEADING, ''), 0, budget) });
  const rest = lines.slice(at);
  const [first, second = ''] = rest;
  if (first === undefined) return blocks;
  if (RULE.test(first)) return [...blocks, { kind: 'rule' }];
  if (first.startsWith('>') && depth < DEPTH_MAX) {
    const quoted = rest.map((line) => line.replace(/^>\s?/, ''));
    return [...blocks, { kind: 'quote', blocks: blocksOf(quoted, depth + 1, budget) }];
  }
  if (isTable(first, second))
    return [
      ...blocks,
      { kind: 'table', head: cellsOf(first, budget), rows: rest.slice(2).map((row) => cellsOf(row, budget)) },
    ];
  const list = rest.findIndex((line) => ITEM.test(line));
  const text = list === -1 ? rest : rest.slice(0, list);
  if (text.length > 0) blocks.push({ kind: 'text', parts: inlineOf(text.join('\n'), 0, budget) });
  if (list !== -1) blocks.push(listOf(rest.slice(list), budget));
  return blocks;
};

const paragraphsOf = (text: string): readonly (readonly string[])[] => {
  const paragraphs: string[][] = [[]];
  for (const line of text.split('\n')) {
    if (line.trim() === '') paragraphs.push([]);
    else paragraphs.at(-1)?.push(line);
  }
  return paragraphs.filter((lines) => lines.length > 0);
};

/** The length of the part that is read as Markdown. */
const endOfShown = (text: string): number => {
  let at = -1;
  for (let line = 0; line < LINES_MAX && at < CHARS_MAX; line += 1) {
    at = text.indexOf('\n', at + 1);
    if (at === -1) return CHARS_MAX;
  }
  return Math.min(at, CHARS_MAX);
};

/** The blocks of a model's Markdown. While an answer streams, text after an open code fence already counts as code. */
export const markdownOf = (whole: string): readonly Block[] => {
  const end = endOfShown(whole);
  const [text, rest] = [whole.slice(0, end), whole.slice(end)];
  const budget: Budget = { left: SPANS_MAX };
  const blocks = text.split(/^[ \t]*```/m).flatMap((part, at): readonly Block[] => {
    if (at % 2 === 0) return paragraphsOf(part).flatMap((lines) => blocksOf(lines, 0, budget));
    const [language = '', ...lines] = part.split('\n');
    const code = lines.join('\n');
    return [{ kind: 'code', language: language.trim(), code: code.replace(/\n$/, '') }];
  });
  return rest === '' ? blocks : [...blocks, { kind: 'text', parts: [rest] }];
};
