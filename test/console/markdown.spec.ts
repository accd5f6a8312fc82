import { type Block, type Inline, inlineOf, markdownOf } from '../../clients/console/studio/markdown-parts';

/** Texts that make a parser deep or slow. `n` is about their length. */
const BOMBS: Readonly<Record<string, (n: number) => string>> = {
  'quotation marks': (n) => '>'.repeat(n),
  'quotation marks with spaces': (n) => '> '.repeat(n / 2),
  'quotations on lines': (n) => `${'>'.repeat(200)}a\n`.repeat(n / 200),
  'code spans': (n) => '`a'.repeat(n / 2),
  'code spans that end': (n) => '`a` '.repeat(n / 4),
  'runs of backticks': (n) =>
    Array.from({ length: Math.sqrt(2 * n) }, (_, at) => `${'`'.repeat(at + 1)}a`).join(' '),
  'open emphasis': (n) => '*a'.repeat(n / 2),
  'open emphasis with spaces': (n) => '*a '.repeat(n / 3),
  'emphasis that never ends': (n) => '*a *'.repeat(n / 4),
  'open strong': (n) => '**a'.repeat(n / 3),
  'open bold': (n) => '__a'.repeat(n / 3),
  'nested strong and em': (n) => `${'**a*b'.repeat(n / 10)}${'*a**'.repeat(n / 8)}`,
  stars: (n) => '*'.repeat(n),
  underscores: (n) => '_'.repeat(n),
  brackets: (n) => '['.repeat(n),
  'brackets that end': (n) => `${'['.repeat(n)}](https://example.com)`,
  'open links': (n) => '[a]('.repeat(n / 4),
  'open pictures': (n) => '![a]('.repeat(n / 5),
  links: (n) => '[a](https://example.com)'.repeat(n / 24),
  headings: (n) => '# a\n'.repeat(n / 4),
  'heading marks': (n) => '#'.repeat(n),
  items: (n) => '- a\n'.repeat(n / 4),
  'items on one line': (n) => '- '.repeat(n / 2),
  'one item of many lines': (n) => `- a\n${'b\n'.repeat(n / 2)}`,
  'deep items': (n) => Array.from({ length: Math.sqrt(n) }, (_, at) => `${' '.repeat(at)}- a`).join('\n'),
  numbers: (n) => '1. a\n'.repeat(n / 5),
  rules: (n) => '- '.repeat(n / 2) + 'x',
  'spaces in a rule': (n) => `--${' '.repeat(n)}x`,
  cells: (n) => `${'|a'.repeat(n / 4)}\n${'|-'.repeat(n / 4)}`,
  rows: (n) => `|a|b|\n|-|-|\n${'|c|d|\n'.repeat(n / 6)}`,
  fences: (n) => '```\n'.repeat(n / 4),
  'indented fences': (n) => `${' '.repeat(60)}\`\`\`\n`.repeat(n / 64),
  spaces: (n) => ' '.repeat(n),
  'line breaks': (n) => '\n'.repeat(n),
  'lone surrogates': (n) => '\uD800*'.repeat(n / 2),
};

const depthOf = (node: Block | Inline): number => {
  if (typeof node === 'string') return 0;
  if ('blocks' in node) return 1 + Math.max(0, ...node.blocks.map(depthOf));
  if ('parts' in node) return 1 + node.parts.reduce((most, part) => Math.max(most, depthOf(part)), 0);
  return 1;
};

/** The elements that a block becomes. */
const nodesIn = (node: Block | Inline): number => {
  if (typeof node === 'string') return 0;
  const below =
    'blocks' in node
      ? node.blocks
      : 'parts' in node
        ? node.parts
        : 'items' in node
          ? node.items.flat()
          : 'rows' in node
            ? [node.head, ...node.rows].flat(2)
            : [];
  const cells =
    'rows' in node ? [node.head, ...node.rows].flat().length : 'items' in node ? node.items.length : 0;
  return 1 + cells + below.reduce<number>((sum, one) => sum + nodesIn(one), 0);
};

const textIn = (node: Block | Inline): string => {
  if (typeof node === 'string') return node;
  switch (node.kind) {
    case 'code':
      return 'code' in node ? node.code : node.text;
    case 'link':
      return node.text;
    case 'quote':
      return node.blocks.map(textIn).join('');
    case 'list':
      return node.items.flat().map(textIn).join('');
    case 'table':
      return [node.head, ...node.rows].flat(2).map(textIn).join('');
    case 'rule':
      return '';
    default:
      return node.parts.map(textIn).join('');
  }
};

describe('the Markdown of a model', () => {
  it.each(Object.entries(BOMBS))('is parsed in linear work and depth: %s', (_name, bomb) => {
    for (const n of [2_002, 16_000, 200_000, 1_000_000]) {
      const text = bomb(n);
      const begun = process.cpuUsage();
      const blocks = markdownOf(text);
      const { user, system } = process.cpuUsage(begun);
      // Quadratic work on a million characters takes minutes.
      expect((user + system) / 1_000).toBeLessThan(3_000);
      expect(blocks.reduce((sum, block) => sum + nodesIn(block), 0)).toBeLessThanOrEqual(20_000);
      expect(blocks.reduce((most, block) => Math.max(most, depthOf(block)), 0)).toBeLessThanOrEqual(20);
    }
  });

  it('keeps its letters, whatever the text', () => {
    const marks = [
      '*',
      '**',
      '__',
      '`',
      '``',
      '[',
      '](',
      ')',
      '!',
      'a',
      ' ',
      'https://example.com',
      '|',
      '#',
    ];
    let seed = 7;
    for (let round = 0; round < 3_000; round += 1) {
      let text = 'x';
      for (let at = 0; at < 30; at += 1) {
        seed = (seed * 1_103_515_245 + 12_345) % 2_147_483_648;
        text += marks[seed % marks.length];
      }
      const letters = (all: string): number => all.split('a').length;
      const shown = inlineOf(text).map(textIn).join('');
      expect(letters(shown)).toBeLessThanOrEqual(letters(text));
      expect(shown.length).toBeGreaterThan(0);
    }
  });

  it('has spans, lists, tables, quotations and code, as before', () => {
    expect(
      inlineOf('a **b *c* d** `e` [f](https://g.example) [h](javascript:i) ![j](https://k.example/l.png)'),
    ).toEqual([
      'a ',
      { kind: 'strong', parts: ['b ', { kind: 'em', parts: ['c'] }, ' d'] },
      ' ',
      { kind: 'code', text: 'e' },
      ' ',
      { kind: 'link', href: 'https://g.example', text: 'f' },
      ' ',
      '[h](javascript:i)',
      ' ',
      { kind: 'link', href: 'https://k.example/l.png', text: 'j' },
    ]);
    expect(inlineOf('2 * 3 * 4 and a*b*c and ``x`y``')).toEqual([
      '2 * 3 * 4 and a',
      { kind: 'em', parts: ['b'] },
      'c and ',
      { kind: 'code', text: 'x`y' },
    ]);
    expect(
      markdownOf(
        '# A\n## B\ntext\n- one\n  more\n- two\n\n> q\n> r\n\n|a|b|\n|-|-|\n|c|d|\n\n---\n\n3. x\n\n```js\n1\n```\nend',
      ),
    ).toEqual([
      { kind: 'heading', parts: ['A'] },
      { kind: 'heading', parts: ['B'] },
      { kind: 'text', parts: ['text'] },
      { kind: 'list', start: undefined, items: [['one\nmore'], ['two']] },
      { kind: 'quote', blocks: [{ kind: 'text', parts: ['q\nr'] }] },
      { kind: 'table', head: [['a'], ['b']], rows: [[['c'], ['d']]] },
      { kind: 'rule' },
      { kind: 'list', start: 3, items: [['x']] },
      { kind: 'code', language: 'js', code: '1' },
      { kind: 'text', parts: ['end'] },
    ]);
  });
});
