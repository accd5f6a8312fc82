import { fork } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { inChild } from './child';

const LIMITS = { milliseconds: 5_000, heapMb: 64, memoryMb: 256 };

/** A script whose work is this code; `data` is what it got. */
const script = (code: string): string => {
  const file = join(mkdtempSync(join(tmpdir(), 'lamppost-child-')), 'work.cjs');
  writeFileSync(file, `process.once('message', (data) => { ${code} });`);
  return file;
};
const run = (code: string, data: Readonly<Record<string, unknown>> = {}, limits = LIMITS): Promise<unknown> =>
  inChild(script(code), data, limits);

const isRunning = (pid: number): boolean => {
  try {
    process.kill(pid, 0);
    return !/^State:\s*Z/m.test(readFileSync(`/proc/${pid}/status`, 'utf8'));
  } catch {
    return false;
  }
};

describe('work in a child process', () => {
  it('gets data and gives a result', async () => {
    expect(await run('process.send({ result: data.a + 1 })', { a: 1 })).toBe(2);
  });

  it('has no environment and no output', async () => {
    const names = await run('console.log("x"); process.send({ result: Object.keys(process.env) })');
    expect((names as string[]).filter((name) => !name.startsWith('NODE_CHANNEL'))).toEqual([]);
  });

  it.each([
    ['an error', 'throw new Error()'],
    ['an exit', 'process.exit(0)'],
    ['one large allocation', 'const a = ["x"]; for (;;) a.push(...a)'],
    ['a text of line breaks that is split', '"\\n".repeat(2 ** 28).split("\\n")'],
    ['a heap that grows', 'const all = []; for (;;) all.push({ all: [...all.slice(-100)] })'],
    ['memory beside the heap', 'const all = []; for (;;) all.push(Buffer.alloc(2 ** 24, 1))'],
    ['an abort', 'process.abort()'],
  ])('ends without a result after %s', async (_, code) => {
    expect(await run(code)).toBeUndefined();
  });

  it.each(['for (;;);', '/^(a+)+$/.test("a".repeat(50) + "b")', 'setInterval(() => {}, 1000)'])(
    'is ended when it takes too long: %s',
    async (code) => {
      const file = join(mkdtempSync(join(tmpdir(), 'lamppost-child-')), 'pid');
      const note = `require('node:fs').writeFileSync(data.file, String(process.pid)); ${code}`;
      const started = Date.now();

      expect(await run(note, { file }, { ...LIMITS, milliseconds: 1_000 })).toBeUndefined();
      expect(Date.now() - started).toBeLessThan(4_000);
      expect(existsSync(file)).toBe(true);
      const pid = Number(readFileSync(file, 'utf8'));
      for (let tries = 0; tries < 50 && isRunning(pid); tries += 1)
        await new Promise((resolve) => setTimeout(resolve, 20));
      expect(isRunning(pid)).toBe(false);
    },
  );

  // A script that ends by itself may be gone before its result is here, and a good file counts as unreadable.
  it.each(['media/film-read.cjs', 'media/recordings/measure.cjs', 'credentials/manifest-read.cjs'])(
    'leaves the end of %s to this process',
    async (name) => {
      const child = fork(join(__dirname, '..', name), {
        stdio: 'ignore',
        execArgv: [],
        serialization: 'advanced',
      });
      child.send({ path: script(''), library: '/nowhere', formats: [], loaders: [], milliseconds: 5_000 });
      await once(child, 'message');
      const ended = once(child, 'exit');
      const left = new Promise((resolve) => setTimeout(resolve, 500, 'runs'));
      expect(await Promise.race([ended, left])).toBe('runs');
      child.kill('SIGKILL');
      await ended;
    },
  );

  it('has no result if its script does not exist', async () => {
    expect(await inChild('/nowhere/at-all.cjs', {}, LIMITS)).toBeUndefined();
  });
});
