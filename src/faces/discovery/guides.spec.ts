import { cpSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { marked } from 'marked';

import { GUIDES, guidesIn } from './guides';

describe('the folder of guides', () => {
  const folder = mkdtempSync(join(tmpdir(), 'lamppost-guides-'));

  beforeAll(() => cpSync(join(__dirname, '..', '..', '..', 'docs', 'guides'), folder, { recursive: true }));
  afterAll(() => rmSync(folder, { recursive: true }));

  it('takes a guide of another module as its last one, without a line of code', () => {
    writeFileSync(join(folder, 'zz-captions.md'), '# Captions\n\nA text becomes a caption.\n\nSend it.\n');

    const [added, ...more] = guidesIn(folder).slice(GUIDES.length);

    expect([added?.name, added?.title, added?.about]).toEqual([
      'zz-captions',
      'Captions',
      'A text becomes a caption.',
    ]);
    expect(more).toEqual([]);
  });

  it.each(GUIDES.map(({ name, template }) => [name, template]))(
    'shows each table of %s as a table',
    (_, text) => {
      const loose = marked.lexer(text).filter(({ type, raw }) => type === 'paragraph' && raw.startsWith('|'));

      expect(loose).toEqual([]);
    },
  );

  it('says what a guide must begin with', () => {
    writeFileSync(join(folder, 'zz-captions.md'), 'Captions\n');

    expect(() => guidesIn(folder)).toThrow('docs/guides/zz-captions.md must begin with a title');
  });
});
