import { AsyncLocalStorage, AsyncResource } from 'node:async_hooks';

import './light-bind';

const context = new AsyncLocalStorage<string>();

describe('AsyncResource.bind', () => {
  it('runs the function in the async context in which it was bound, with all arguments', () => {
    const bound = context.run('then', () =>
      AsyncResource.bind((...args: string[]) => [context.getStore(), ...args]),
    );
    expect(context.run('now', () => bound('a', 'b'))).toEqual(['then', 'a', 'b']);
  });

  it('gives the function its caller as `this`, or the one that was bound', () => {
    const own = function (this: unknown): unknown {
      return this;
    };
    const caller = { bound: AsyncResource.bind(own) };
    expect(caller.bound()).toBe(caller);
    expect(AsyncResource.bind(own, 'a-type', context)()).toBe(context);
  });

  it("also serves Node's snapshots of a context", () => {
    const runThen = context.run('then', () => AsyncLocalStorage.snapshot());
    expect(runThen((text: string) => `${context.getStore()} ${text}`, 'and here')).toBe('then and here');
  });

  describe("is as Node's own", () => {
    type Bind = (fn: unknown, thisArg?: unknown) => (...args: unknown[]) => unknown;

    const own: Bind = (fn, thisArg) => {
      const resource = new AsyncResource('own');
      return (resource.bind as unknown as Bind).call(resource, fn, thisArg);
    };
    const light: Bind = (fn, thisArg) => AsyncResource.bind(fn as () => unknown, undefined, thisArg);

    it.each([undefined, null, 0, '', false, Number.NaN, {}])('with %p as `this`', (thisArg) => {
      const fn = function (this: unknown): unknown {
        return this;
      };
      const [caller, other] = [{ bound: light(fn, thisArg) }, { bound: own(fn, thisArg) }];

      expect(caller.bound() === caller).toBe(other.bound() === other);
      if (thisArg !== undefined) expect([caller.bound(), other.bound()]).toEqual([thisArg, thisArg]);
    });

    it.each<[string, (...args: never[]) => unknown]>([
      ['no parameter', () => 1],
      ['three parameters', (a: unknown, b: unknown, c: unknown) => [a, b, c]],
      ['a default', (a: unknown, b = 2) => [a, b]],
      ['a promise', async (a: unknown) => Promise.resolve(a)],
    ])('for a function with %s', async (_, fn) => {
      const [ours, nodes] = [light(fn), own(fn)];

      expect(Object.getOwnPropertyDescriptor(ours, 'length')).toEqual(
        Object.getOwnPropertyDescriptor(nodes, 'length'),
      );
      expect(await ours(7, 8, 9)).toEqual(await nodes(7, 8, 9));
    });

    it('for a generator, a constructor, and a function that throws', () => {
      class Kept {}
      const steps = function* (most: number): Generator<number> {
        for (let step = 0; step < most; step += 1) yield step;
      };
      const made = function (this: { value?: unknown }, value: unknown): void {
        this.value = value;
      };
      const failing = (): never => {
        throw new RangeError('no');
      };

      for (const bind of [light, own]) {
        expect([...(bind(steps)(3) as Generator<number>)]).toEqual([0, 1, 2]);
        const Made = bind(made) as unknown as new (value: unknown) => { value?: unknown };
        expect(new Made(5).value).toBe(5);
        expect(() => bind(Kept)()).toThrow(TypeError);
        expect(() => bind(failing)()).toThrow(new RangeError('no'));
      }
    });

    it.each([{}, 'text', 7])('for %p, which is no function', (fn) => {
      expect(() => own(fn)).toThrow('must be of type function');
      expect(() => light(fn)).toThrow('must be of type function');
    });

    it('also for an empty type, which means none', () => {
      expect(AsyncResource.bind(() => 3, '')()).toBe(3);
    });
  });

  it('changes no prototype, which V8 would keep together with the call', () => {
    expect(Object.getOwnPropertyNames(AsyncResource.bind(() => 1))).not.toContain('asyncResource');
  });
});
