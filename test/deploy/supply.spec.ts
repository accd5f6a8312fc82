import { execFileSync, spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const SUPPLY = join(__dirname, '..', '..', 'tools', 'supply.mjs');
const HASH = `sha512-${'a'.repeat(86)}==`;
const GOOD = { version: '1.0.0', integrity: HASH, license: 'MIT' };

describe('what we take from others, and give away by mistake', () => {
  let folder: string;

  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'supply-'));
    mkdirSync(join(folder, 'tools'));
    cpSync(SUPPLY, join(folder, 'tools', 'supply.mjs'));
    execFileSync('git', ['init', '--quiet'], { cwd: folder });
  });
  afterEach(() => rmSync(folder, { recursive: true }));

  const problems = (packages: object, wants: object = {}, file = ''): string => {
    const lock = { lockfileVersion: 3, packages: { '': { dependencies: wants }, ...packages } };
    writeFileSync(join(folder, 'package-lock.json'), JSON.stringify(lock));
    writeFileSync(join(folder, 'file.txt'), file);
    execFileSync('git', ['add', '.'], { cwd: folder });
    return spawnSync(process.execPath, ['tools/supply.mjs'], { cwd: folder, encoding: 'utf8' }).stderr;
  };

  it('is nothing to speak of where all is exact, and what is for other systems has no hash', () => {
    const elsewhere = { version: '1.0.0', optional: true, os: ['win32'] };

    expect(problems({ 'node_modules/x': GOOD, 'node_modules/y': elsewhere }, { x: '1.0.0' })).toBe('');
  });

  it.each([
    ['has no hash of node_modules/x', { ...GOOD, integrity: undefined }, {}, ''],
    ['takes node_modules/x from git+ssh://', { ...GOOD, resolved: 'git+ssh://git@github.com/x/x' }, {}, ''],
    ['wants x as ^1.0.0', GOOD, { x: '^1.0.0' }, ''],
    ['x@1.0.0 has the licence AGPL-3.0-only', { ...GOOD, license: 'AGPL-3.0-only' }, {}, ''],
    ['x@1.0.0 says no licence', { ...GOOD, license: undefined }, {}, ''],
    ['file.txt:2 holds a key of AWS', GOOD, {}, `\nkey = AKIA${'Q'.repeat(16)}`],
    ['file.txt:1 holds a live key of Stripe', GOOD, {}, `sk_live_${'a1'.repeat(12)}`],
    ['file.txt:1 holds a private key of a wallet', GOOD, {}, `X402_RELAYER_KEY=0x${'ab'.repeat(32)}`],
  ])('is named: it %s', (words, one, wants, file) => {
    expect(problems({ 'node_modules/x': one }, wants, file)).toContain(words);
  });
});
