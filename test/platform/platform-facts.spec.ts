import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

describe('the check of the platform', () => {
  const check = (text: string): { readonly status: number | null; readonly stdout: string } => {
    const root = mkdtempSync(join(tmpdir(), 'lamppost-platform-'));
    mkdirSync(join(root, 'src', 'platform', 'http'), { recursive: true });
    writeFileSync(join(root, 'src', 'platform', 'http', 'hook.ts'), text);
    const { status, stdout } = spawnSync(process.execPath, ['tools/platform-facts.mjs', root], {
      encoding: 'utf8',
    });
    rmSync(root, { recursive: true });
    return { status, stdout };
  };

  it.each([
    ['an address of a route', "const open = url.startsWith('/v1/agent');"],
    ['an address outside the API', "const open = url.startsWith('/mcp');"],
    ["a feature's word", '// A receipt needs a key.'],
    ['a word at the beginning of a name', 'const webhookUrl = 1;'],
    ['a word within a name', 'const readX402Headers = 1;'],
    ['a word in a constant', 'const RECEIPT_KEYS = 1;'],
    ['the singular of a folder', '// A batch has rows.'],
    ['the name of a folder within a name', 'const jobsOfCatalog = 1;'],
    ['a folder with two words', 'const secondFactor = 1;'],
    ['a folder within a folder', '// The ledger has rows.'],
    ['a plain word where it is allowed nowhere', 'const quoteId = 1;'],
    ['a word in a name with capitals', 'type Client = OpenAIClient;'],
  ])('finds %s', (_what, code) => {
    expect(check(`const first = 1;\n${code}\n`)).toEqual({
      status: 1,
      stdout: expect.stringMatching(/^src.platform.http.hook\.ts:2 names a feature/),
    });
  });

  it('allows a plain word where the platform needs it', () => {
    expect(check('// The response has a key.\n').status).toBe(0);
  });

  it('finds nothing in the platform as it is', () => {
    expect(spawnSync(process.execPath, ['tools/platform-facts.mjs'], { encoding: 'utf8' }).stdout).toBe('');
  });
});
