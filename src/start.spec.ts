import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { transformFileSync } from '@swc/core';

const ROOT = join(__dirname, '..');
const FILE = 'service-0.js';

describe('the start from one file', () => {
  const folder = mkdtempSync(join(tmpdir(), 'lamppost start é-'));
  const starter = join(folder, 'service.js');
  const cache = join(folder, '.compile-cache');

  beforeAll(() => {
    const { code } = transformFileSync(join(ROOT, 'src', 'start.ts'), { cwd: ROOT });
    writeFileSync(starter, code.replace(/^#!.*/, '').replaceAll('ONE_FILE', JSON.stringify(FILE)));
    // Only a process that ran for a while stores its code.
    writeFileSync(join(folder, FILE), `process.uptime = () => 60; process.stdout.write('served');`);
  });
  afterEach(() => rmSync(cache, { recursive: true, force: true }));
  afterAll(() => rmSync(folder, { recursive: true }));

  const start = (limits = '') => {
    const { status, stdout, stderr } = spawnSync(
      'sh',
      ['-c', `${limits} exec "$0" "$1"`, process.execPath, starter],
      { encoding: 'utf8' },
    );
    return { status, stdout, stderr };
  };
  const served = { status: 0, stdout: 'served', stderr: '' };
  const stored = () => readdirSync(cache);
  const storedFile = () => join(cache, stored()[0]!);

  it('sets the options of src/engine-flags.ts, because V8 refuses code that was stored under others', () => {
    const optionsOf = (file: string) =>
      readFileSync(join(ROOT, 'src', file), 'utf8').match(/(?<=^setFlagsFromString\(').*(?='\);$)/gm);

    expect(optionsOf('start.ts')).toEqual(optionsOf('engine-flags.ts'));
    expect(optionsOf('start.ts')).toHaveLength(3);
  });

  it('stores the compiled code, and keeps the file that is there', () => {
    expect(start()).toEqual(served);
    expect(stored()).toEqual([expect.stringMatching(/^service-0\.js\.\d+$/)]);
    const before = readFileSync(storedFile());

    expect(start()).toEqual(served);
    expect(readFileSync(storedFile())).toEqual(before);
  });

  it.each([
    // V8 takes this code, and would write the other word.
    [
      'changed',
      (code: Buffer) => Buffer.from(code.toString('latin1').replaceAll('served', 'broken'), 'latin1'),
    ],
    [
      'half zero',
      (code: Buffer) => Buffer.concat([code.subarray(0, code.length / 2), Buffer.alloc(code.length / 2)]),
    ],
    ['half', (code: Buffer) => code.subarray(0, code.length / 2)],
    ['empty', () => Buffer.alloc(0)],
  ])('does not run stored code that is %s, and replaces it', (_, damage) => {
    start();
    const good = readFileSync(storedFile());
    writeFileSync(storedFile(), damage(good));

    expect(start()).toEqual(served);
    expect(readFileSync(storedFile())).toHaveLength(good.length);
    expect(start()).toEqual(served);
  });

  it('starts if it can neither read nor write the stored code', () => {
    start();
    const name = storedFile();
    rmSync(name);
    mkdirSync(name);

    expect(start()).toEqual(served);
    expect(stored()).toHaveLength(1);
  });

  it('leaves no part of a file on a full disk', () => {
    expect(start('ulimit -f 0; trap "" XFSZ;')).toEqual(served);
    expect(stored()).toEqual([]);
  });
});
