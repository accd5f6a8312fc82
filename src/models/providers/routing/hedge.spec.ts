import type { Database } from '#platform/database/database';
import { AnswerLost, NotServed, ProviderFailed, ProviderUnavailable } from '../providers.errors';
import { Failover } from './failover';
import type { ProviderRoute } from './route';
import { RouteRecords } from './route-records';

const ROUTES = ['a', 'b', 'c'].map((provider) => ({ provider, model: 'x' }));

/** A call whose routes answer when a test says so. */
class HedgedCall {
  readonly called: string[] = [];
  readonly aborted: string[] = [];
  readonly lost: string[] = [];
  readonly discarded: unknown[] = [];
  readonly records = new RouteRecords({} as Database);
  private readonly ends = new Map<string, (end: Error | string) => void>();
  private readonly waits = new Map<string, () => void>();
  readonly outcome: Promise<unknown>;

  constructor(afterMs: number) {
    const hedge = {
      afterMs,
      lost: ({ provider }: ProviderRoute) => void this.lost.push(provider),
      discard: (answer: string) => void this.discarded.push(answer),
    };
    this.outcome = new Failover(this.records)
      .first({ routes: ROUTES }, { work: 'answer', hedge }, ({ provider }, signal) => {
        this.called.push(provider);
        this.waits.get(provider)?.();
        signal?.addEventListener('abort', () => this.aborted.push(provider));
        return new Promise<string>((resolve, reject) => {
          this.ends.set(provider, (end) => (typeof end === 'string' ? resolve(end) : reject(end)));
        });
      })
      .catch((error: unknown) => error);
  }

  async until(provider: string): Promise<this> {
    if (!this.called.includes(provider))
      await new Promise<void>((resolve) => this.waits.set(provider, resolve));
    return this;
  }

  end(provider: string, end: Error | string): this {
    this.ends.get(provider)!(end);
    return this;
  }
}

const HOUR = 3_600_000;
const settled = () => new Promise((resolve) => setImmediate(resolve));

describe('a hedged request', () => {
  it('is not made for a route that answers or fails in time', async () => {
    const quick = await new HedgedCall(HOUR).until('a');
    expect(await quick.end('a', 'A').outcome).toBe('A');
    expect(quick.called).toEqual(['a']);

    const failed = await new HedgedCall(HOUR).until('a');
    await failed.end('a', new ProviderUnavailable()).until('b');
    expect(await failed.end('b', 'B').outcome).toBe('B');
    expect([failed.called, failed.lost]).toEqual([['a', 'b'], []]);
  });

  it('takes the answer of the second route, and aborts the first one', async () => {
    const call = await new HedgedCall(1).until('b');

    expect(await call.end('b', 'B').outcome).toBe('B');

    expect([call.called, call.aborted, call.lost]).toEqual([['a', 'b'], ['a'], ['a']]);
    call.end('a', new AnswerLost());
    await settled();
    expect(call.records.of(ROUTES[0]!).recent(Date.now())).toEqual({ calls: 0, failures: 0 });
  });

  it('takes the answer of the first route, and discards one that comes too late', async () => {
    const call = await new HedgedCall(1).until('b');

    expect(await call.end('a', 'A').outcome).toBe('A');

    expect([call.aborted, call.lost]).toEqual([['b'], ['b']]);
    call.end('b', 'B');
    await settled();
    expect(call.discarded).toEqual(['B']);
  });

  it('discards one of two answers that come together, and counts its cost', async () => {
    const call = await new HedgedCall(1).until('b');

    expect(await call.end('a', 'A').end('b', 'B').outcome).toBe('A');

    await settled();
    expect([call.lost, call.discarded]).toEqual([['b'], ['B']]);
  });

  it.each([new AnswerLost(), new ProviderUnavailable(), new NotServed(), new ProviderFailed()])(
    'waits for the other route when one fails: %s',
    async (error) => {
      const call = await new HedgedCall(1).until('b');
      call.end('a', error);
      await settled();

      expect(await call.end('b', 'B').outcome).toBe('B');
      expect([call.called, call.lost]).toEqual([['a', 'b'], []]);
    },
  );

  it('asks a third route only if both certainly took nothing, and hedges no second time', async () => {
    const taken = await new HedgedCall(1).until('b');
    const lost = new AnswerLost();
    taken.end('a', lost);
    await settled();
    expect(await taken.end('b', new ProviderUnavailable()).outcome).toBe(lost);
    expect(taken.called).toEqual(['a', 'b']);

    const free = await new HedgedCall(1).until('b');
    free.end('a', new ProviderUnavailable()).end('b', new ProviderUnavailable());
    await free.until('c');
    expect(await free.end('c', 'C').outcome).toBe('C');
    expect(free.called).toEqual(['a', 'b', 'c']);
  });
});
