import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { ChildPool } from './child-pool';

const LIMITS = { milliseconds: 1_500, heapMb: 64, memoryMb: 256 };

/** A pool whose children run the code of each message, and answer with their process number if it gives no result. */
const newPool = (): ChildPool => {
  const file = join(mkdtempSync(join(tmpdir(), 'lamppost-pool-')), 'work.cjs');
  writeFileSync(
    file,
    `process.on('message', async ({ code }) => { process.send({ result: (await eval(code)) ?? process.pid }); });`,
  );
  return new ChildPool(file, LIMITS);
};

describe('a pool of child processes', () => {
  it('keeps a child for more work', async () => {
    const pool = newPool();
    const first = await pool.run({ code: '' });

    expect(await pool.run({ code: '' })).toBe(first);
  });

  it('has a child for each work at the same time', async () => {
    const pool = newPool();
    const pids = await Promise.all([1, 2, 3].map(() => pool.run({ code: '' })));

    expect(new Set(pids).size).toBe(3);
  });

  it.each([
    ['ends', 'process.exit()'],
    ['takes too long', 'for (;;);'],
    ['uses too much memory', 'const all = []; for (;;) all.push(Buffer.alloc(2 ** 24, 1))'],
  ])('replaces a child that %s', async (_, code) => {
    const pool = newPool();
    const first = await pool.run({ code: '' });

    expect(await pool.run({ code })).toBeUndefined();
    const next = await pool.run({ code: '' });
    expect(next).toEqual(expect.any(Number));
    expect(next).not.toBe(first);
  });

  it('tries again if an earlier work is why a child ended', async () => {
    const pool = newPool();
    const first = await pool.run({ code: 'setTimeout(() => process.exit(), 50); undefined' });
    await pool.run({ code: 'globalThis.isSecond = true' });

    const slow = await pool.run({ code: 'new Promise((done) => setTimeout(() => done(process.pid), 300))' });

    expect(slow).toEqual(expect.any(Number));
    expect(slow).not.toBe(first);
  });

  it('throws if something outside ends a new child, because its work is not the reason', async () => {
    const killed = newPool().run({ code: "process.kill(process.pid, 'SIGKILL')" });

    await expect(killed).rejects.toThrow('The service cannot read media now.');
  });

  it('gives bytes in both directions', async () => {
    const file = join(mkdtempSync(join(tmpdir(), 'lamppost-pool-')), 'work.cjs');
    writeFileSync(
      file,
      `process.on('message', ({ bytes }) => process.send({ result: Buffer.from(bytes).reverse() }));`,
    );
    const result = await new ChildPool(file, LIMITS).run<Uint8Array>({ bytes: Buffer.from('abc') });

    expect(Buffer.from(result!).toString()).toBe('cba');
  });
});
