import { setTimeout as pause } from 'node:timers/promises';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

import { onAbort, untilEither } from './abort';

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
