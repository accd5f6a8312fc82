import { BodyBudget, type BodyLease, poolsFor } from './body-budget';
import { BodyTooSlow } from './body.errors';
import type { SenderSpeed } from './sender-speed';

const POOLS = {
  strangers: { bytesMax: 100, ownBytesMax: 60 },
  callers: { bytesMax: 100, ownBytesMax: 100 },
};
const paceThat = (isSlow: boolean): SenderSpeed =>
  ({ isTooSlow: () => isSlow, waiting: <T>(work: () => Promise<T>) => work() }) as unknown as SenderSpeed;
const AT_EASE = paceThat(false);
const SLOW = paceThat(true);

const MEGABYTE = 1024 * 1024;

describe('the room for bodies', () => {
  it('grows with the heap, so that two callers whose models are silent keep nobody else out', () => {
    const { callers } = poolsFor(4_144 * MEGABYTE);

    expect(callers.bytesMax).toBeGreaterThan(400 * MEGABYTE);
    expect(callers.bytesMax / callers.ownBytesMax).toBeGreaterThanOrEqual(7.9);
  });

  it('has the largest body, and two of the large ones, on a small machine', () => {
    const { callers } = poolsFor(560 * MEGABYTE);

    expect([callers.bytesMax, callers.ownBytesMax]).toEqual([96 * MEGABYTE, 48 * MEGABYTE]);
  });
});

describe('the one budget of body bytes', () => {
  const open = (budget: BodyBudget, owner: string, speed = AT_EASE) => {
    const cuts: Error[] = [];
    const lease: BodyLease = budget.open(owner, speed, (error) => {
      cuts.push(error);
      lease.close();
    });
    return { lease, cuts };
  };

  it('lets nobody pass it, and lets the next one in when somebody is done', async () => {
    const budget = new BodyBudget(POOLS);
    const [first, second, third] = ['a', 'b', 'c'].map((owner) => open(budget, owner).lease);
    expect(first!.take(50)).toBeUndefined();
    expect(second!.take(50)).toBeUndefined();
    const order: string[] = [];
    const waits = third!.take(10)!.then(() => order.push('third'));
    expect(budget.bytes).toBe(100);

    first!.close();
    await waits;

    expect([order, budget.bytes]).toEqual([['third'], 60]);
  });

  it('keeps one owner from having all of it, while others still find room', async () => {
    const budget = new BodyBudget(POOLS);
    const greedy = ['a', 'a', 'a'].map((owner) => open(budget, owner).lease);
    expect(greedy[0]!.take(30)).toBeUndefined();
    expect(greedy[1]!.take(30)).toBeUndefined();
    expect(open(budget, 'b').lease.take(30)).toBeUndefined();

    const waits = greedy[2]!.take(10);
    expect(waits).toBeDefined();
    greedy[0]!.close();
    await waits;

    expect(budget.bytes).toBe(70);
  });

  it('takes the room of slow senders when somebody waits, and only then', async () => {
    const budget = new BodyBudget(POOLS);
    const slow = open(budget, 'a', SLOW);
    const slowButDone = open(budget, 'b', SLOW);
    void slow.lease.take(50);
    void slowButDone.lease.take(50);
    slowButDone.lease.received();
    expect(slow.cuts).toEqual([]);

    await open(budget, 'c').lease.take(50);

    expect(slow.cuts[0]).toBeInstanceOf(BodyTooSlow);
    expect(slowButDone.cuts).toEqual([]);
    expect(budget.bytes).toBe(100);
  });

  it('always lets one body come to its end, or all would wait for each other', async () => {
    const budget = new BodyBudget(POOLS);
    const [first, second] = ['a', 'b'].map((owner) => open(budget, owner).lease);
    void first!.take(50);
    void second!.take(50);

    await first!.take(20); // This body may exceed the limit, because no other body does.
    let isIn = false;
    const waits = second!.take(20)!.then(() => (isIn = true));
    await new Promise((resolve) => setImmediate(resolve));
    expect(isIn).toBe(false);

    first!.close();
    await waits;
    second!.close();
    expect(budget.bytes).toBe(0);
  });

  it('has a part that no stranger can fill', () => {
    const budget = new BodyBudget(POOLS);
    for (const owner of ['a', 'b']) void open(budget, owner).lease.take(50);
    const caller = budget.open('c', AT_EASE, () => undefined);

    expect(caller.prove('somebody')).toBeUndefined();
    expect(caller.take(80)).toBeUndefined();
    caller.close();
    caller.close();
    expect(budget.bytes).toBe(100);
  });

  it('lets a body that closes stop waiting at once, although nothing is free for it', async () => {
    const budget = new BodyBudget(POOLS);
    void open(budget, 'a').lease.take(60);
    void open(budget, 'b').lease.take(40);
    const { lease } = open(budget, 'c');
    const wait = lease.take(30);
    lease.close();
    const ended = await Promise.race([
      wait!.then(() => 'ended'),
      new Promise((after) => setTimeout(after, 50, 'waits')),
    ]);

    expect([ended, budget.bytes, budget.pools.strangers.waitingOf()]).toEqual(['ended', 100, 0]);
  });
});
