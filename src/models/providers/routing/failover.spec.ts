import { Logger } from '@nestjs/common';

import type { Database } from '#platform/database/database';
import { ProviderFault } from '../http/provider-fault';
import { AnswerLost, NotServed, ProviderFailed, ProviderUnavailable } from '../providers.errors';
import { EntryRetired, ModelRetired } from './unsold-model.errors';
import { Failover } from './failover';
import type { RoutedModel } from './route';
import type { UnhedgedCall } from './route-order';
import { RouteRecords } from './route-records';

const [a, b] = [
  { provider: 'a', model: 'x' },
  { provider: 'b', model: 'x' },
] as const;
const MODEL: RoutedModel = { routes: [a, b] };

/** Processes that receive each other's notifications. */
class Fleet {
  readonly sent: string[] = [];
  private readonly listeners: ((payload: string) => void)[] = [];
  private readonly db = {
    listen: (_: string, onNotice: (payload: string) => void) => {
      this.listeners.push(onNotice);
      return Promise.resolve(() => Promise.resolve());
    },
    notify: (_: string, payload: string) => {
      this.sent.push(payload);
      for (const notify of this.listeners) notify(payload);
      return Promise.resolve();
    },
  } as unknown as Database;

  async process(): Promise<Failover> {
    const records = new RouteRecords(this.db);
    await records.onApplicationBootstrap();
    return new Failover(records);
  }
}

const alone = (): Promise<Failover> => new Fleet().process();

/** Calls the routes, each of which answers or fails as given, and returns the names of the called routes. */
const send = async (
  failover: Failover,
  answers: Readonly<Record<string, Error | 'done' | Promise<unknown>>> = {},
  model: RoutedModel = MODEL,
  call: UnhedgedCall = { work: 'answer' },
) => {
  const who: string[] = [];
  const outcome: unknown = await failover
    .first(model, call, ({ provider }) => {
      who.push(provider);
      const answer = answers[provider] ?? 'done';
      return answer instanceof Error ? Promise.reject(answer) : Promise.resolve(answer);
    })
    .catch((error: unknown) => error);
  return { who: who.join(), outcome };
};

const down = (): Error => new ProviderUnavailable();
const unknown = (): Error =>
  new ProviderUnavailable(new ProviderFault('not-accepted', 'it answered 404', { status: 404 }));
const busy = (pauseMs: number): Error =>
  new ProviderUnavailable(new ProviderFault('not-accepted', 'it answered 429', { status: 429, pauseMs }));

describe('failing over', () => {
  afterEach(() => jest.useRealTimers());

  it('asks the next route when one certainly did not take the work, and no other', async () => {
    expect(await send(await alone(), { a: down() })).toEqual({ who: 'a,b', outcome: 'done' });
    expect((await send(await alone(), { a: new AnswerLost() })).who).toBe('a');
    expect((await send(await alone(), { a: new ProviderFailed() })).who).toBe('a');
  });

  it('skips a route that keeps failing', async () => {
    const failover = await alone();
    for (let times = 0; times < 3; times += 1) await send(failover, { a: down() });

    expect((await send(failover)).who).toBe('b');
  });

  it('tries a half-open route by one call, and by no second one meanwhile', async () => {
    jest.useFakeTimers({ doNotFake: ['nextTick', 'setImmediate', 'queueMicrotask', 'performance'] });
    const failover = await alone();
    for (let times = 0; times < 3; times += 1) await send(failover, { a: down() });
    jest.advanceTimersByTime(5_001);

    let answer = (_: string): void => undefined;
    const slow = new Promise<string>((resolve) => (answer = resolve));
    const trial = send(failover, { a: slow });
    expect((await send(failover)).who).toBe('b');

    answer('done');
    expect((await trial).who).toBe('a');
    expect((await send(failover)).who).toBe('a');
  });

  it('skips no route for saying that a call is not for it', async () => {
    const failover = await alone();
    for (let times = 0; times < 9; times += 1) await send(failover, { a: new NotServed() });

    expect((await send(failover)).who).toBe('a');
  });

  it('says that nobody makes it only when no other route may later', async () => {
    const notServed = new NotServed();
    const unavailable = down();

    expect((await send(await alone(), { a: notServed, b: new NotServed() })).outcome).toBe(notServed);
    expect((await send(await alone(), { a: notServed, b: unavailable })).outcome).toBe(unavailable);
    expect((await send(await alone(), { a: unavailable, b: notServed })).outcome).toBe(unavailable);
  });

  it('asks for no repetition if no vendor knows the model, and names the routes to the operator', async () => {
    const logged = jest.spyOn(Logger.prototype, 'error').mockReturnValue(undefined);
    const model = { ...MODEL, id: 'mine' };

    expect((await send(await alone(), { a: unknown(), b: unknown() }, model)).outcome).toMatchObject({
      code: 'NOT_OFFERED',
      message: expect.stringMatching(/^mine is not sold/),
    });
    expect(logged).toHaveBeenLastCalledWith(
      { model: 'mine', routes: ['a x', 'b x'] },
      expect.stringContaining('do not have the model'),
    );
    expect((await send(await alone(), { a: unknown(), b: down() }, model)).outcome).toBeInstanceOf(
      ProviderUnavailable,
    );
    expect(logged).toHaveBeenCalledTimes(2);
    logged.mockRestore();
  });

  it('asks for a repetition if one vendor does not know the model while the circuit breaker of another route is open', async () => {
    const failover = await alone();
    for (let times = 0; times < 3; times += 1) await send(failover, { a: down() });

    expect(await send(failover, { b: unknown() })).toEqual({
      who: 'b',
      outcome: expect.any(ProviderUnavailable),
    });
  });

  it('sells a retired model no more, and names its successor', async () => {
    const retired = { ...MODEL, id: 'old', retiresOn: '2020-01-01', replacedBy: 'newer' };

    const { who, outcome } = await send(await alone(), {}, retired);

    expect(who).toBe('');
    expect(outcome).toBeInstanceOf(EntryRetired);
    expect((outcome as Error).message).toBe(
      'old retired on 2020-01-01. Nothing was charged; use newer instead.',
    );
    const listed = await send(await alone(), {}, { ...MODEL, retiresOn: '2020-01-01', isListed: true });
    expect(listed.outcome).toBeInstanceOf(ModelRetired);
    expect((await send(await alone(), {}, { ...MODEL, retiresOn: '2999-01-01' })).who).toBe('a');
  });
});

describe('the rate limit of a vendor', () => {
  it('is kept by every process for the time that the vendor names', async () => {
    const fleet = new Fleet();
    const [one, other] = [await fleet.process(), await fleet.process()];

    expect((await send(one, { a: busy(30_000) })).who).toBe('a,b');

    expect((await send(one)).who).toBe('b');
    expect((await send(other)).who).toBe('b');
    expect(fleet.sent).toHaveLength(1);
  });

  it('lets one call at a time through while every route is paused, and answers others 503 with the time to wait', async () => {
    const failover = await alone();
    await send(failover, { a: busy(30_000), b: busy(20_000) });

    let answer = (_: string): void => undefined;
    const slow = new Promise<string>((resolve) => (answer = resolve));
    const trial = send(failover, { a: slow });
    expect((await send(failover, { b: busy(20_000) })).who).toBe('b');
    const other = send(failover, { b: slow });
    const { who, outcome } = await send(failover);

    expect(who).toBe('');
    expect(outcome).toBeInstanceOf(ProviderUnavailable);
    expect((outcome as ProviderUnavailable).extras.retryAfterSeconds).toBe(20);
    answer('done');
    expect((await trial).outcome).toBe('done');
    expect((await other).outcome).toBe('done');
    expect((await send(failover)).who).toBe('a');
  });

  it('never stops the sale of a model with one route', async () => {
    const failover = await alone();
    const model: RoutedModel = { routes: [a] };
    await send(failover, { a: busy(30_000) }, model);

    expect(await send(failover, {}, model)).toEqual({ who: 'a', outcome: 'done' });
    const together = await Promise.all([1, 2, 3].map(() => send(failover, {}, model)));
    expect(together.map(({ who }) => who)).toEqual(['a', 'a', 'a']);
  });

  it('frees the slot of a call whose pause has begun meanwhile', async () => {
    const failover = await alone();
    const model: RoutedModel = { routes: [a] };
    let refuse = (_: Error): void => undefined;
    const slow = new Promise<string>((_, reject) => (refuse = reject));
    const first = send(failover, { a: slow }, model);
    await send(failover, { a: busy(30_000) }, model);
    refuse(new ProviderFailed());
    await first;

    expect((await send(failover, {}, model)).who).toBe('a');
  });

  it('is kept for a minute at most, whatever the vendor says', async () => {
    const failover = await alone();
    await send(failover, { a: busy(86_400_000), b: busy(86_400_000) });

    void send(failover, { a: new Promise(() => undefined) });
    void send(failover, { b: new Promise(() => undefined) });

    const { outcome } = await send(failover);

    expect((outcome as ProviderUnavailable).extras.retryAfterSeconds).toBe(60);
  });
});

describe('the order of routes', () => {
  const weighted = {
    routing: 'weighted',
    routes: [
      { ...a, weight: 3 },
      { ...b, weight: 1 },
    ],
  } as const;
  const firstOf = async (failover: Failover, affinity: string): Promise<string> =>
    (await send(failover, {}, weighted, { work: 'stream', affinity })).who;

  it('keeps a conversation at its route, in every process, and gives each route its share', async () => {
    const fleet = new Fleet();
    const [one, other] = [await fleet.process(), await fleet.process()];
    let atFirst = 0;
    for (let n = 0; n < 2_000; n += 1) {
      const who = await firstOf(one, `conversation ${n}`);
      expect(await firstOf(other, `conversation ${n}`)).toBe(who);
      if (who === 'a') atFirst += 1;
    }

    expect(atFirst / 2_000).toBeGreaterThan(0.72);
    expect(atFirst / 2_000).toBeLessThan(0.78);
  });

  it('asks the cheapest first', async () => {
    const model: RoutedModel = {
      routing: 'cheapest',
      routes: [
        { ...a, cost: 3 },
        { ...b, cost: 2 },
      ],
    };
    expect((await send(await alone(), { b: down() }, model)).who).toBe('b,a');
  });

  it('asks the fastest first, once each was measured', async () => {
    const failover = await alone();
    const model: RoutedModel = { ...MODEL, routing: 'fastest' };
    const after = (ms: number) => new Promise((resolve) => setTimeout(() => resolve('done'), ms));

    expect((await send(failover, { a: after(60) }, model)).who).toBe('a');
    expect((await send(failover, { b: after(5) }, model)).who).toBe('b');
    expect((await send(failover, { b: after(5) }, model)).who).toBe('b');
  });

  it('asks a route last that failed more than half of its calls', async () => {
    const failover = await alone();
    for (const fails of [true, true, false, true, true, false]) {
      await send(failover, fails ? { a: down() } : {});
    }

    expect((await send(failover)).who).toBe('b');
  });
});
