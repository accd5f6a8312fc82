import { setTimeout as pause } from 'node:timers/promises';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

import { eachUntilEither, onAbort, untilEither } from './abort';

describe('onAbort', () => {
  it('notifies all who share a signal, except those who unsubscribed', () => {
    const controller = new AbortController();
    const called: string[] = [];
    onAbort(controller.signal, () => called.push('first'));
    const undo = onAbort(controller.signal, () => called.push('second'));
    onAbort(controller.signal, () => called.push('third'));
    undo();
    controller.abort();
    expect(called).toEqual(['first', 'third']);
  });

  it('runs at once where the signal is aborted already', () => {
    const called: string[] = [];
    onAbort(AbortSignal.abort(), () => called.push('late'))();
    expect(called).toEqual(['late']);
  });

  it('notifies each once, also one who subscribes again during it', () => {
    const controller = new AbortController();
    let times = 0;
    const undo = onAbort(controller.signal, () => {
      times += 1;
      undo();
    });
    controller.abort();
    controller.abort();
    expect(times).toBe(1);
  });
});

describe('untilEither', () => {
  it.each([0, 1])('aborts the work when signal %i of the two aborts, with its reason', async (at) => {
    const both = [new AbortController(), new AbortController()];
    const [shared, own] = both.map(({ signal }) => signal);
    const work = untilEither(shared!, own, (signal) => {
      both[at]!.abort(new Error(`number ${at}`));
      return Promise.resolve(signal.reason);
    });

    expect(await work).toEqual(new Error(`number ${at}`));
  });

  it('leaves nothing of finished work with a signal that many calls share', async () => {
    setFlagsFromString('--expose-gc');
    const collect = runInNewContext('gc') as () => void;
    const shared = new AbortController().signal;
    const works: WeakRef<AbortSignal>[] = [];
    const call = (fails: boolean): Promise<void> =>
      untilEither(shared, new AbortController().signal, async (signal) => {
        works.push(new WeakRef(signal));
        await pause(0);
        if (fails) throw new Error('the vendor is away');
      });
    for (let times = 0; times < 20; times += 1) await call(times % 2 === 0).catch(() => undefined);
    for (let turns = 0; turns < 5; turns += 1) {
      await pause(1);
      collect();
    }

    // The last one may still be on the stack.
    expect(works.filter((work) => work.deref() !== undefined).length).toBeLessThan(3);
    expect(shared.aborted).toBe(false);
  });
});

describe('eachUntilEither', () => {
  const pieces = async function* (signal: AbortSignal): AsyncGenerator<number> {
    for (let piece = 0; piece < 3; piece += 1) {
      signal.throwIfAborted();
      yield piece;
      await pause(0);
    }
  };
  const readAll = async (read: AsyncIterator<number>): Promise<readonly number[]> => {
    const all: number[] = [];
    for (let next = await read.next(); next.done !== true; next = await read.next()) all.push(next.value);
    return all;
  };

  it.each([0, 1])('aborts the pieces when signal %i of the two aborts, with its reason', async (at) => {
    const both = [new AbortController(), new AbortController()];
    const read = eachUntilEither(both[0]!.signal, both[1]!.signal, pieces);

    expect(await read.next()).toEqual({ done: false, value: 0 });
    both[at]!.abort(new Error(`number ${at}`));
    await expect(read.next()).rejects.toThrow(`number ${at}`);
  });

  it('gives all pieces, with one signal or with two', async () => {
    const { signal } = new AbortController();
    for (const own of [undefined, new AbortController().signal])
      expect(await readAll(eachUntilEither(signal, own, pieces))).toEqual([0, 1, 2]);
  });

  it('leaves nothing of read, left and failed pieces with a signal that many calls share', async () => {
    setFlagsFromString('--expose-gc');
    const collect = runInNewContext('gc') as () => void;
    const shared = new AbortController().signal;
    const works: WeakRef<AbortSignal>[] = [];
    const call = async (at: number): Promise<void> => {
      const own = new AbortController();
      const read = eachUntilEither(shared, own.signal, (signal) => {
        works.push(new WeakRef(signal));
        return pieces(signal);
      });
      await read.next();
      if (at % 3 === 0) await readAll(read);
      if (at % 3 === 1) await read.return?.();
      if (at % 3 === 2) own.abort();
      await read.next().catch(() => undefined);
    };
    for (let at = 0; at < 30; at += 1) await call(at);
    for (let turns = 0; turns < 5; turns += 1) {
      await pause(1);
      collect();
    }

    expect(works.filter((work) => work.deref() !== undefined).length).toBeLessThan(3);
    expect(shared.aborted).toBe(false);
  });
});
