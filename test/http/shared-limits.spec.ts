import { setTimeout as pause } from 'node:timers/promises';

import { Redis } from 'ioredis';

import { CapturedLog } from '../support/captured-log';
import { KeyCaller } from '../support/caller';
import { expectEventually } from '../support/eventually';
import { OwnRedis } from '../support/redis-server';
import { type Answer, World } from '../support/world';

/** These tests need a Redis program. `.ci/run` sets the address of a running Redis, so the program exists. */
const REDIS_URL = process.env['TEST_REDIS_URL'];
const onlyWithRedis = REDIS_URL === undefined ? describe.skip : describe;

type Headers = Readonly<Record<string, string>>;

const statusesOf = async (calls: readonly Promise<Answer>[]): Promise<Record<number, number>> => {
  const counts: Record<number, number> = {};
  for (const { status } of await Promise.all(calls)) counts[status] = (counts[status] ?? 0) + 1;
  return counts;
};

const times = (count: number, call: () => Promise<Answer>): Promise<Answer>[] =>
  Array.from({ length: count }, call);

onlyWithRedis('limits with a Redis', () => {
  let redis: OwnRedis;
  const worlds: World[] = [];

  const start = async (limit: string, more: Headers = {}): Promise<World> => {
    // The role `api` has no workers, because their behaviour without Redis is tested elsewhere and takes time.
    const world = await World.start({ REDIS_URL: redis.url, ROLE: 'api', RATE_LIMIT_FREE: limit, ...more });
    worlds.push(world);
    return world;
  };

  const placesTaken = async (): Promise<number> => {
    const client = new Redis(redis.url);
    const [key] = await client.keys('*challenge*:hits');
    const taken = Number(await client.get(key ?? ''));
    client.disconnect();
    return taken;
  };

  beforeEach(async () => {
    redis = await OwnRedis.start();
  });
  afterEach(async () => {
    await Promise.all(worlds.splice(0).map((world) => world.stop()));
    await redis.stop();
  });

  it('are shared by two processes, to the call', async () => {
    const one = await start('10');
    const other = await start('10');

    const counts = await statusesOf([
      ...times(20, () => one.get('/v1/models')),
      ...times(20, () => other.get('/v1/models')),
    ]);

    expect(counts).toEqual({ 200: 10, 429: 30 });
  });

  it('release a count for all processes, whichever took it', async () => {
    const limits = { RATE_LIMIT_CHALLENGE: '2', RATE_LIMIT_FREE: '0' };
    const one = await start('0', limits);
    const other = await start('0', { ...limits, DATABASE_URL: one.settings.databaseUrl! });
    const { key } = await KeyCaller.register(one, 1_000_000n);
    const body = { messages: [{ role: 'user', content: 'Hello.' }], max_tokens: 16 };
    const chat = (world: World, headers: Headers = {}): Promise<Answer> =>
      world.post('/v1/agent/chat', body, headers);

    const stranger = await chat(one);
    const paying: number[] = [];
    for (const world of [one, other, one, other]) {
      paying.push((await chat(world, { 'x-api-key': key })).status);
      // Waits until Redis has the count.
      await expectEventually(async () => (await placesTaken()) === 1);
    }
    const strangers = [await chat(other), await chat(one), await chat(other)];

    expect([stranger.status, ...paying]).toEqual([402, 200, 200, 200, 200]);
    expect(strangers.map(({ status }) => status)).toEqual([402, 429, 429]);
  });

  it('end with the minute that the first call began, not a minute after the first refusal', async () => {
    const world = await start('1');
    await world.get('/v1/models');
    const refused = await world.get('/v1/models');
    const client = new Redis(redis.url);
    for (const key of await client.keys('*')) await client.pexpire(key, 50);
    client.disconnect();
    await pause(100);

    const after = await world.get('/v1/models');

    expect([refused.status, after.status]).toEqual([429, 200]);
    expect(Number(refused.headers['retry-after'])).toBeLessThanOrEqual(60);
  });

  it('hold on in memory while Redis is gone, say so once, and are shared again afterwards', async () => {
    const world = await start('1000');
    const log = CapturedLog.start();
    await world.get('/v1/models');

    await redis.stop();
    const without = await statusesOf(times(50, () => world.get('/v1/models')));
    await pause(1_100); // Another try was due before now, and failed without a log line.
    await statusesOf(times(50, () => world.get('/v1/models')));
    const complaints = log.warnings.filter((line) => line.includes('Redis is unavailable'));
    await redis.startAgain();
    await expectEventually(async () => {
      await world.get('/v1/models');
      return log.others.some((line) => line.includes('Redis is back'));
    });
    log.release();

    expect(without).toEqual({ 200: 50 });
    expect(complaints).toHaveLength(1);
  });

  it('cost a call no more than a quarter of a second when Redis never answers', async () => {
    const world = await start('1000');
    await world.get('/v1/models');
    redis.freeze();

    const began = Date.now();
    const counts = await statusesOf(times(50, () => world.get('/v1/models')));
    const firstMs = Date.now() - began;
    const again = Date.now();
    await world.get('/v1/models');
    const nextMs = Date.now() - again;
    redis.thaw();

    expect(counts).toEqual({ 200: 50 });
    expect(firstMs).toBeLessThan(1_000);
    expect(nextMs).toBeLessThan(100);
  });

  it('still hold when Redis was never there', async () => {
    await redis.stop();

    const world = await start('3');
    const counts = await statusesOf(times(10, () => world.get('/v1/models')));

    expect(counts).toEqual({ 200: 3, 429: 7 });
  });

  it('leave no connection behind', async () => {
    const client = new Redis(redis.url);
    const connections = async (): Promise<number> =>
      Number(/connected_clients:(\d+)/.exec(await client.info('clients'))?.[1]);
    const before = await connections();
    const world = await start('10');
    await world.get('/v1/models');
    const during = await connections();

    await world.stop();
    worlds.length = 0;
    await expectEventually(async () => (await connections()) === before);
    client.disconnect();

    expect(during).toBeGreaterThan(before);
  });
});
