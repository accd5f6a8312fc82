import { execFileSync, spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';

/** Runs a tool on a repository of these files. */
const runOn = (
  tool: readonly string[],
  files: Readonly<Record<string, string>>,
): readonly [number | null, string] => {
  const root = mkdtempSync(join(tmpdir(), 'pages-'));
  try {
    execFileSync('git', ['init', '-q', root]);
    for (const [name, text] of Object.entries(files)) {
      mkdirSync(dirname(join(root, name)), { recursive: true });
      writeFileSync(join(root, name), text);
    }
    const { status, stdout } = spawnSync(process.execPath, [...tool, root], { encoding: 'utf8' });
    return [status, stdout];
  } finally {
    rmSync(root, { recursive: true });
  }
};

describe('the check of links', () => {
  const check = (files: Readonly<Record<string, string>>) => runOn(['tools/links.mjs'], files);
  const OTHER = '# Other\n\n## Its section\n';

  it.each([
    ['a page', '[other](docs/other.md)'],
    ['a section', '[other](docs/other.md#its-section)'],
    ['a section of the same page', '# A page\n\n[above](#a-page)'],
    ['an address elsewhere', '[other](https://example.com/docs/none.md)'],
    ['a link in code', '`[none](none.md)`\n\n```md\n[none](none.md)\n```'],
    ['a second section of the same name', '# A\n\n# A\n\n[the second](#a-1)'],
    ['a folder', '[pages](docs/)'],
    ['complete contents', '- [One](#one)\n- [Two](#two)\n\n## One\n\n## Two\n'],
  ])('accepts %s', (_, text) => {
    expect(check({ 'README.md': text, 'docs/other.md': OTHER })).toEqual([0, '']);
  });

  it.each([
    ['a page', '[none](docs/none.md)', 'README.md: docs/none.md does not exist\n'],
    ['a section', '[other](docs/other.md#none)', 'README.md: docs/other.md#none has no such section\n'],
    ['a page with a title', '[none](none.md "Nothing")', 'README.md: none.md does not exist\n'],
    ['a picture', '![none](docs/none.png)', 'README.md: docs/none.png does not exist\n'],
    ['a page of a reference', '[see][1]\n\n[1]: docs/none.md\n', 'README.md: docs/none.md does not exist\n'],
    ['a picture of HTML', '<img alt="" src="none.png">', 'README.md: none.png does not exist\n'],
    [
      'a page of HTML',
      '<a href="docs/other.md#none">',
      'README.md: docs/other.md#none has no such section\n',
    ],
    ['a file that git ignores', '[built](dist/a.md)', 'README.md: dist/a.md does not exist\n'],
    [
      'a line of contents',
      '- [One](#one)\n- [Two](#two)\n\n## One\n\n## Two\n\n## Three\n',
      'README.md: the contents lack "Three"\n',
    ],
  ])('reports that %s is missing', (_, text, report) => {
    const files = { '.gitignore': 'dist/\n', 'dist/a.md': '', 'docs/other.md': OTHER };

    expect(check({ ...files, 'README.md': text })).toEqual([1, report]);
  });

  it.each([
    ['docs/none.md', 'docs/none.md does not exist'],
    ['docs/other.md#none', 'docs/other.md#none has no such section'],
  ])('reports %s, which the code names', (to, report) => {
    const files = { 'src/a.ts': `export const see = '${to}';\n`, 'docs/other.md': OTHER };

    expect(check(files)).toEqual([1, `src/a.ts: ${report}\n`]);
  });

  it('reports a link of a guide to a page that the service does not serve', () => {
    const files = { 'docs/guides/a.md': '[other](../other.md)', 'docs/other.md': OTHER };

    expect(check(files)).toEqual([1, 'docs/guides/a.md: ../other.md is no guide\n']);
  });
});

describe('the check of words', () => {
  const check = (files: Readonly<Record<string, string>>) => runOn(['tools/words.mjs', '--of'], files);
  const [, table = ''] =
    /\| Instead of[^\n]*\n[^\n]*\n([\s\S]*?)\n\n/.exec(readFileSync('CONTRIBUTING.md', 'utf8')) ?? [];
  const examples = table.split('\n').map((row) => row.split('|').map((cell) => cell.trim()));

  it.each(examples.map(([, bad = '', good = '']) => [bad, good]))(
    'finds its own bad example, and not the good one: %s',
    (bad, good) => {
      expect(check({ 'docs/page.md': `${bad}\n` })).toEqual([
        1,
        expect.stringContaining('docs/page.md: words'),
      ]);
      expect(check({ 'docs/page.md': `${good}\n` })).toEqual([0, '']);
    },
  );

  it.each([
    ['deploy/compose.yaml', 'services: # A bad value stops the start.\n'],
    ['deploy/compose.yaml', '  # A bad value stops the start.\n'],
    ['deploy/nginx/lamppost.conf', '\t# A bad value stops the start.\n'],
    ['deploy/systemd/api.service', '# A bad value stops the start.\n'],
    ['deploy/Dockerfile', '# A bad value stops the start.\n'],
    ['deploy/postgres/roles.sql', '-- A bad value stops the start.\n'],
    ['deploy/settings.env.example', '# A bad value stops the start.\n'],
    ['migrations/1-a.ts', '/** A bad value stops the start. */\n'],
    ['bench/run.mjs', '// A bad value stops the start.\n'],
    ['examples/session.sh', '# A bad value stops the start.\n'],
    ['SECURITY.md', 'A bad value stops the start.\n'],
    ['src/a/a.ts', "throw new Error('A bad value stops the start.');\n"],
  ])('reads %s: %j', (name, text) => {
    expect(check({ [name]: text })).toEqual([1, expect.stringContaining('"stops the start"')]);
  });
});
