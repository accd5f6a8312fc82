import { execFileSync, spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';

/** Runs a tool on a repository of these files. */
const runOn = (tool: string, files: Readonly<Record<string, string>>): readonly [number | null, string] => {
  const root = mkdtempSync(join(tmpdir(), 'pages-'));
  try {
    execFileSync('git', ['init', '-q', root]);
    for (const [name, text] of Object.entries(files)) {
      mkdirSync(dirname(join(root, name)), { recursive: true });
      writeFileSync(join(root, name), text);
    }
    const { status, stdout } = spawnSync(process.execPath, [tool, root], { encoding: 'utf8' });
    return [status, stdout];
  } finally {
    rmSync(root, { recursive: true });
  }
};

describe('the check of links', () => {
  const check = (files: Readonly<Record<string, string>>) => runOn('tools/links.mjs', files);
  const OTHER = '# Other\n\n## Its section\n';

  it.each([
    ['a page', '[other](docs/other.md)'],
    ['a section', '[other](docs/other.md#its-section)'],
    ['a section of the same page', '# A page\n\n[above](#a-page)'],
    ['an address elsewhere', '[other](https://example.com/docs/none.md)'],
    ['a link in code', '`[none](none.md)`\n\n```md\n[none](none.md)\n```'],
    ['complete contents', '- [One](#one)\n- [Two](#two)\n\n## One\n\n## Two\n'],
  ])('accepts %s', (_, text) => {
    expect(check({ 'README.md': text, 'docs/other.md': OTHER })).toEqual([0, '']);
  });

  it.each([
    ['a page', '[none](docs/none.md)', 'README.md: docs/none.md does not exist\n'],
    ['a section', '[other](docs/other.md#none)', 'README.md: docs/other.md#none has no such section\n'],
    [
      'a line of contents',
      '- [One](#one)\n- [Two](#two)\n\n## One\n\n## Two\n\n## Three\n',
      'README.md: the contents lack "Three"\n',
    ],
  ])('reports that %s is missing', (_, text, report) => {
    expect(check({ 'README.md': text, 'docs/other.md': OTHER })).toEqual([1, report]);
  });

  it('reports a page that the code names', () => {
    const files = { 'src/a.ts': "export const see = 'docs/none.md';\n" };

    expect(check(files)).toEqual([1, 'src/a.ts: docs/none.md does not exist\n']);
  });
});
