import { setTimeout as pause } from 'node:timers/promises';

import { Deployment } from '../faults/deployment';
import { KeyCaller } from '../support/caller';
import { cloneDatabase } from '../support/postgres';
import { OwnRedis } from '../support/redis-server';
import { Gate, WAYS, WAYS_PLAYED, type Way } from './gate';

/** In the nightly run, outages last longer than every real timer. By day, the timers are shortened. */
const REAL_SECONDS = Number(process.env['UNKIND_SECONDS'] ?? 0);
const AWAY_MS = REAL_SECONDS > 0 ? REAL_SECONDS * 1_000 : 6_000;
/** A restart of Postgres takes at most this long, which is five times as long as the shortened timers. */
const RESTART_MS = Math.max(12_000, REAL_SECONDS * 1_000);
const BACK_MS_MAX = 5_000;
const LINES_A_MINUTE_MAX = 200;
const PLACES = [0, 1];
const CHAT = { messages: [{ role: 'user', content: 'hi' }], max_tokens: 9 };

const withRedis = process.env['TEST_REDIS_URL'] !== undefined;

/** Without a Redis, only the cells of the database run. */
const CELLS: readonly (readonly [what: string, way: Way])[] = [
  ...WAYS.map((way) => ['Postgres', way] as const),
  ...(withRedis ? WAYS_PLAYED.map((way) => ['Redis', way] as const) : []),
];

/** A start that loses the database after it was available fails, and its supervisor must repeat it. */
const START_CELLS = CELLS.filter(([, way]) => way !== 'flapping each second');
/** The service waits ten seconds for a database at its start, and then exits with an error. This outage is shorter. */
const START_AWAY_MS = 2_000;

describe('a process whose database is away when it starts', () => {
  let url: string;
  let redis: OwnRedis | undefined;
  const gates = new Map<string, Gate>();

  beforeAll(async () => {
    url = await cloneDatabase();
    gates.set('Postgres', await Gate.to(url));
    if (!withRedis) return;
    redis = await OwnRedis.start();
    gates.set('Redis', await Gate.to(redis.url));
  });
  afterAll(async () => {
    await Promise.all([...gates.values()].map((gate) => gate.stop()));
    await redis?.stop();
  });

  it.each(START_CELLS)('%s: serves once it is back from %s', async (what, way) => {
    for (const gate of gates.values()) await gate.be('open');
    const gated = new URL(url);
    gated.hostname = '127.0.0.1';
    gated.port = String(gates.get('Postgres')!.port);
    const env: Record<string, string> = { DATABASE_URL: gated.href, LOG_LEVEL: 'warn' };
    if (withRedis) env['REDIS_URL'] = `redis://${gates.get('Redis')!.host}`;
    const gate = gates.get(what)!;

    await gate.be(way);
    const starting = Deployment.start(url, [env]);
    await Promise.race([starting, pause(START_AWAY_MS)]);
    await gate.be('open');
    const deployment = await starting;

    try {
      const caller = await KeyCaller.register(deployment.asWorld(), 1_000_000n);
      const { status } = await deployment.post(0, '/v1/agent/chat', CHAT, { 'x-api-key': caller.key });
      expect(status).toBe(200);
      await deployment.expectPeace();
    } finally {
      await deployment.stop();
    }
  });
});

describe('two processes whose database comes and goes', () => {
  const gates = new Map<string, Gate>();
  let redis: OwnRedis | undefined;
  let deployment: Deployment;
  let caller: KeyCaller;

  beforeAll(async () => {
    const url = await cloneDatabase();
    const gated = new URL(url);
    const postgres = await Gate.to(url);
    await postgres.be('open');
    gates.set('Postgres', postgres);
    gated.hostname = '127.0.0.1';
    gated.port = String(postgres.port);
    const env: Record<string, string> = { DATABASE_URL: gated.href, LOG_LEVEL: 'warn' };
    if (REAL_SECONDS === 0) env['HURRY_TIMERS'] = '10';
    if (withRedis) {
      redis = await OwnRedis.start();
      const gate = await Gate.to(redis.url);
      await gate.be('open');
      gates.set('Redis', gate);
      env['REDIS_URL'] = `redis://${gate.host}`;
    }
    deployment = await Deployment.start(url, [env, env]);
    caller = await KeyCaller.register(deployment.asWorld(), 100_000_000n);
  });

  afterAll(async () => {
    await deployment.stop();
    await Promise.all([...gates.values()].map((gate) => gate.stop()));
    await redis?.stop();
  });

  const chat = (place: number): Promise<number> =>
    deployment
      .post(place, '/v1/agent/chat', CHAT, { 'x-api-key': caller.key }, AbortSignal.timeout(30_000))
      .then(({ status, headers }) => (status === 503 && headers['retry-after'] === undefined ? 599 : status));

  const follow = async (place: number, over: AbortSignal): Promise<void> => {
    while (!over.aborted) {
      const answer = await fetch(`${await deployment.url(place)}/v1/agent/events`, {
        headers: { 'x-api-key': caller.key, accept: 'text/event-stream' },
        signal: over,
      }).catch(() => undefined);
      await answer?.text().catch(() => undefined);
      await pause(200);
    }
  };

  it.each(CELLS)('%s: the same processes outlive %s, idle and under paid load', async (what, way) => {
    const gate = gates.get(what)!;
    const pids = await Promise.all(PLACES.map((place) => deployment.pid(place)));
    const before = await Promise.all(PLACES.map(async (place) => (await deployment.linesOf(place)).length));
    const awayMs = what === 'Postgres' && way === 'a closed port' ? RESTART_MS : AWAY_MS;
    const over = new AbortController();
    const followers = PLACES.map((place) => follow(place, over.signal));
    await pause(200);
    const began = Date.now();

    await gate.be(way);
    await pause(awayMs / 2);
    const statuses = new Set<number>();
    const load = PLACES.map(async (place) => {
      while (Date.now() < began + awayMs) {
        statuses.add(await chat(place));
        await pause(20);
      }
    });
    await Promise.all([
      pause(awayMs / 2),
      ...load.map((work) => Promise.race([work, pause(awayMs / 2 + 1_000)])),
    ]);
    await gate.be('open');
    const back = Date.now();

    for (const place of PLACES) {
      let status = 0;
      while (status !== 200 && Date.now() < back + BACK_MS_MAX) status = await chat(place);
      expect([place, status]).toEqual([place, 200]);
    }
    await Promise.all(load);
    over.abort();
    await Promise.all(followers);
    expect([...statuses].filter((status) => ![200, 503].includes(status))).toEqual([]);
    await deployment.endLeases();
    await deployment.expectPeace();
    expect(await Promise.all(PLACES.map((place) => deployment.pid(place)))).toEqual(pids);
    const minutes = Math.max(1, (Date.now() - began) / 60_000);
    for (const place of PLACES) {
      const lines = (await deployment.linesOf(place)).length - before[place]!;
      expect(lines).toBeLessThan(LINES_A_MINUTE_MAX * minutes);
    }
  });
});
