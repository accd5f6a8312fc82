import { readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';

import { walkThroughs } from '../support/walk-throughs';

const ROOT = join(__dirname, '..', '..');

/** The types of these files are checked, so the code of a page that is part of one of them compiles. */
const COMPILED = ['src', 'clients/console', 'test/extending', 'test/nest'].flatMap((folder) =>
  readdirSync(join(ROOT, folder), { recursive: true, encoding: 'utf8' })
    .filter((name) => /\.tsx?$/.test(name))
    .map((name) => join(ROOT, folder, name)),
);

/** Code without its white space, because a page shows a method without its class, and the formatter breaks it elsewhere. */
const plain = (code: string): string => code.replaceAll(/\s+/g, '').replaceAll(/,(?=[)\]}])/g, '');

const blocksIn = (page: string): readonly string[] =>
  [...page.matchAll(/^```tsx?\n([\s\S]*?)^```/gm)].map(([, code = '']) => plain(code));

describe('the pages that show how to extend the service', () => {
  const sources = COMPILED.map((file) => plain(readFileSync(file, 'utf8')));
  const index = readFileSync(join(ROOT, 'docs/extending.md'), 'utf8');

  it.each([...walkThroughs()])('%s has code, all of which compiles', (_, page) => {
    const blocks = blocksIn(page);

    expect(blocks).not.toEqual([]);
    expect(blocks.filter((block) => !sources.some((source) => source.includes(block)))).toEqual([]);
  });

  it.each([...walkThroughs().keys()])('%s is in the index', (name) => {
    expect(index).toContain(`](extending/${name})`);
  });

  it('shows no code that is nowhere compiled', () => {
    const page = ['```ts', ['const', 'nowhere', '= 1;'].join(' '), '```', ''].join('\n');

    expect(sources.some((source) => source.includes(blocksIn(page)[0]!))).toBe(false);
  });
});
