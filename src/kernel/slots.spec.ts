import { setImmediate as turn } from 'node:timers/promises';

import { Guest, Slots, TooMuchForGuests } from './slots';

/** Work that ends on demand. */
const held = (
  slots: Slots,
  log: string[],
  name: string,
  key?: string | Guest,
  weight?: number,
): (() => void) => {
  let end = (): void => undefined;
  const ending = new Promise<void>((resolve) => (end = resolve));
  void slots.run(
    async () => {
      log.push(name);
      await ending;
    },
    key,
    weight,
  );
  return end;
};

describe('slots', () => {
  it('run so many at once, and the others in the order in which they came', async () => {
    const log: string[] = [];
    const slots = new Slots(2);
    const [first] = ['a', 'b', 'c', 'd'].map((name) => held(slots, log, name));
    await turn();
    expect(log).toEqual(['a', 'b']);
    first?.();
    await turn();
    expect(log).toEqual(['a', 'b', 'c']);
  });

  it('serve the keys in turn, so that one with much work delays the others by one piece', async () => {
    const log: string[] = [];
    const slots = new Slots(1);
    const ends = ['a1', 'a2', 'a3', 'a4'].map((name) => held(slots, log, name, 'a'));
    ends.push(held(slots, log, 'b1', 'b'));
    for (const end of ends) {
      end();
      await turn();
    }
    expect(log).toEqual(['a1', 'a2', 'b1', 'a3', 'a4']);
  });

  it('give one key no more than it may have, and the rest to the others', async () => {
    const log: string[] = [];
    const slots = new Slots(4, { perKey: 2 });
    for (const name of ['a1', 'a2', 'a3', 'a4']) held(slots, log, name, 'a');
    held(slots, log, 'b1', 'b');
    await turn();
    expect(log).toEqual(['a1', 'a2', 'b1']);
  });

  it('keep room for a heavy one that waits, and let nobody slip in before it', async () => {
    const log: string[] = [];
    const slots = new Slots(4);
    const end = held(slots, log, 'light', 'a', 1);
    held(slots, log, 'heavy', 'b', 4);
    held(slots, log, 'late', 'c', 1);
    await turn();
    expect(log).toEqual(['light']);
    end();
    await turn();
    expect(log).toEqual(['light', 'heavy']);
  });

  it('let guests have their share only, and serve everybody else before them', async () => {
    const log: string[] = [];
    const slots = new Slots(2, { forGuests: 1 });
    const first = held(slots, log, 'guest 1', new Guest('a'));
    const second = held(slots, log, 'guest 2', new Guest('b'));
    const ends = ['c1', 'c2', 'c3'].map((name) => held(slots, log, name, 'c'));
    await turn();
    expect(log).toEqual(['guest 1', 'c1']);
    first();
    await turn();
    expect(log).toEqual(['guest 1', 'c1', 'c2']);
    for (const end of ends) {
      end();
      await turn();
    }
    expect(log).toEqual(['guest 1', 'c1', 'c2', 'c3', 'guest 2']);
    second();
  });

  it('let no guest slip in before a heavy one that waits for room', async () => {
    const log: string[] = [];
    const slots = new Slots(4, { forGuests: 2 });
    const end = held(slots, log, 'light', 'a', 1);
    held(slots, log, 'heavy', 'b', 4);
    held(slots, log, 'guest', new Guest('c'), 1);
    await turn();
    expect(log).toEqual(['light']);
    end();
    await turn();
    expect(log).toEqual(['light', 'heavy']);
  });

  it('refuse what is more than all guests may have', async () => {
    const slots = new Slots(4, { forGuests: 2 });
    await expect(slots.run(() => Promise.resolve(), new Guest('a'), 3)).rejects.toThrow(TooMuchForGuests);
    await expect(slots.run(() => Promise.resolve('yes'), 'a', 3)).resolves.toBe('yes');
  });

  it('are released by failing work', async () => {
    const slots = new Slots(1);
    await expect(slots.run(() => Promise.reject(new Error('no')))).rejects.toThrow('no');
    await expect(slots.run(() => Promise.resolve('yes'))).resolves.toBe('yes');
  });

  it('go to a key without one before another key gets a second one', async () => {
    const log: string[] = [];
    const slots = new Slots(2);
    held(slots, log, 'a1', 'a');
    const end = held(slots, log, 'b1', 'b');
    held(slots, log, 'a2', 'a');
    held(slots, log, 'c1', 'c');
    end();
    await turn();
    expect(log).toEqual(['a1', 'b1', 'c1']);
  });

  it('are taken by order of arrival, and by all work that fits, where the order says so', async () => {
    const slots = new Slots(4, { order: 'arrival' });
    slots.use('a', 3);
    const log: string[] = [];
    for (const [key, weight] of Object.entries({ heavy: 2, light: 1, late: 1 }))
      void slots.wait(key, weight).then(() => log.push(key));
    await turn();
    expect(log).toEqual(['light']);
    slots.giveBack('a', 2);
    await turn();
    expect(log).toEqual(['light', 'heavy']);
  });

  it('are exceeded by work that may', async () => {
    const slots = new Slots(1, { order: 'arrival' });
    expect([slots.enter('a'), slots.enter('b')]).toEqual([true, false]);
    await slots.wait('b', 1, () => true);
    expect(slots.free).toBe(-1);
  });

  it('are refused after the longest wait, and the next in line gets its turn', async () => {
    const checks = jest.fn();
    const slots = new Slots(2, { wait: { msMax: 20, busy: () => new Error('busy'), whileWaiting: checks } });
    slots.use('a');
    const heavy = slots.wait('b', 2);
    await turn();
    const light = slots.wait('c', 1);
    await expect(heavy).rejects.toThrow('busy');
    await expect(light).resolves.toBeUndefined();
    expect([checks.mock.calls.length, slots.free, slots.waitingOf()]).toEqual([2, 0, 0]);
  });

  it('are never used up by keys that have many of them, if a key may have what is free', () => {
    const slots = new Slots(64, { perKey: 'free' });
    const fill = (key: string): number => {
      let taken = 0;
      for (; slots.free > 0 && !slots.fullKeys().includes(key); taken += 1) slots.use(key);
      return taken;
    };
    expect(['a', 'b', 'c', 'd', 'e', 'f', 'g'].map(fill)).toEqual([32, 16, 8, 4, 2, 1, 1]);
    expect(slots.free).toBe(0);
    slots.giveBack('a', 32);
    expect(slots.fullKeys()).toEqual([]);
    expect(fill('h')).toBe(16);
  });

  it('are not held by work without weight, which need not return them', () => {
    const slots = new Slots(1, { perKey: 'free' });
    slots.use('a');
    slots.use('b', 0);
    expect(slots.fullKeys()).toEqual(['a']);
  });
});
