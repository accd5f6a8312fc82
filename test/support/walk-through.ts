import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';

import { type Run, runCommand } from './code-blocks';

const ROOT = join(__dirname, '..', '..');

/** ` ```ts ` with the name of its file in the first line. */
const FILES = /^```ts\n\/\/ ((?:src|test)\/[\w./-]+)\n(.*?)^```$/gms;
/** ` ```diff `, likewise: lines that go, and lines that come in their place. */
const CHANGES = /^```diff\n# ([\w./-]+)\n(.*?)^```$/gms;

const lines = (diff: string, sign: string): readonly string[] =>
  diff
    .split('\n')
    .filter((line) => line.startsWith(sign))
    .map((line) => line.slice(1));

/** Each run of lines that go, with those that come after it. */
const steps = (diff: string): readonly (readonly [string, string])[] =>
  [...diff.matchAll(/((?:^-.*\n)+)((?:^\+.*\n)*)/gm)].map(([, gone = '', come = '']) => [
    lines(gone, '-').join('\n'),
    lines(come, '+').join('\n'),
  ]);

/** A copy of the service that somebody has changed just as a section of a page says. */
export class WalkThrough {
  private constructor(readonly folder: string) {}

  static of(page: string, section: string): WalkThrough {
    const text = readFileSync(join(ROOT, page), 'utf8');
    const part = text.split(/^## /m).find((each) => each.startsWith(`${section}\n`)) ?? '';
    const folder = mkdtempSync(join(tmpdir(), 'lamppost-walk-through-'));
    for (const name of [
      'src',
      'migrations',
      'test/support',
      'tools/chain',
      'package.json',
      'tsconfig.json',
    ]) {
      cpSync(join(ROOT, name), join(folder, name), { recursive: true });
    }
    symlinkSync(join(ROOT, 'node_modules'), join(folder, 'node_modules'), 'dir');
    for (const [, name = '', code = ''] of part.matchAll(FILES)) {
      mkdirSync(dirname(join(folder, name)), { recursive: true });
      writeFileSync(join(folder, name), code);
    }
    for (const [, name = '', diff = ''] of part.matchAll(CHANGES)) {
      const file = join(folder, name);
      writeFileSync(file, steps(diff).reduce(replaced, readFileSync(file, 'utf8')));
    }
    return new WalkThrough(folder);
  }

  /** What a module of the copy exports. */
  module<T>(name: string): T {
    return module.require(join(this.folder, name)) as T;
  }

  /** The compiler's word on these files, and on whatever they import. */
  compile(...include: readonly string[]): Promise<Run> {
    const config = join(this.folder, 'tsconfig.walk-through.json');
    writeFileSync(config, JSON.stringify({ extends: './tsconfig.json', include }));
    const tsc = join(ROOT, 'node_modules', 'typescript', 'bin', 'tsc');
    return runCommand(
      process.execPath,
      [tsc, '--noEmit', '--incremental', 'false', '-p', config],
      this.folder,
      {},
    );
  }

  remove(): void {
    rmSync(this.folder, { recursive: true, force: true });
  }
}

const replaced = (text: string, [gone, come]: readonly [string, string]): string => {
  if (text.split(gone).length !== 2) throw new Error(`Not once in the file: ${gone}`);
  return text.replace(gone, () => come);
};
