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

  it('changes no prototype, which V8 would keep together with the call', () => {
    expect(Object.getOwnPropertyNames(AsyncResource.bind(() => 1))).not.toContain('asyncResource');
  });
});
