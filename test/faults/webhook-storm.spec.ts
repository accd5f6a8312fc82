import type { ServerResponse } from 'node:http';
import { setTimeout as pause } from 'node:timers/promises';

import { Redis } from 'ioredis';

import { Deployment } from './deployment';
import { Hands } from './moments';
import { KeyCaller } from '../support/caller';
import { expectEventually } from '../support/eventually';
import { describeNightly } from '../support/nightly';
import { LoopbackServer, type Received } from '../support/loopback-server';
import { cloneDatabase } from '../support/postgres';
import { OwnRedis } from '../support/redis-server';
import { type Manner, answering, resetting } from '../webhooks/receiver';

const OWNERS = 4;
/** A type of event that only the test makes. */
const TYPES = ['balance.low', 'spend.high', 'key.limit_near', 'key.expiring', 'balance.topped_up'] as const;
const EVENTS_OF_EACH = 60;

/** The behaviour of a receiver at the first try of a message. */
const MANNERS: readonly Manner[] = [
  answering(200),
  (response) => void setTimeout(() => response.writeHead(204).end(), 50),
  answering(500),
  resetting,
  answering(429, { 'retry-after': '1' }),
  answering(307, { location: '/elsewhere' }),
  answering(200),
];

/** All receivers, each with a separate host name. */
class Crowd extends LoopbackServer {
  /** The ids that each host has received, in the order of arrival. */
  readonly received = new Map<string, string[]>();

  protected serve({ headers, body }: Received, response: ServerResponse): void {
    const host = String(headers.host).split(':')[0] ?? '';
    const ids = this.received.get(host) ?? [];
    this.received.set(host, ids);
    const id = String(headers['webhook-id']);
    expect((JSON.parse(body.toString()) as { id: string }).id).toBe(id);
    const isNew = !ids.includes(id);
    ids.push(id);
    if (isNew) MANNERS[Number(host.split('.')[3]) % MANNERS.length]!(response);
    else response.writeHead(200).end();
  }
}

jest.setTimeout(120_000);

/** Redis is included if the machine has one. */
const BACKENDS = ['Postgres', ...(process.env['TEST_REDIS_URL'] === undefined ? [] : ['Redis'])];

describeNightly.each(BACKENDS)(
  'a storm of events, to receivers of mixed manners, with queues on %s',
  (backend) => {
    let deployment: Deployment;
    let crowd: Crowd;
    let hands: Hands;
    let redis: OwnRedis | undefined;
    const hostOf = (owner: number, type: number): string => `127.0.1.${1 + owner * TYPES.length + type}`;

    beforeAll(async () => {
      crowd = await new Crowd().start('0.0.0.0');
      const hosts = Array.from({ length: OWNERS * TYPES.length }, (_, n) => `127.0.1.${1 + n}`);
      redis = backend === 'Redis' ? await OwnRedis.start() : undefined;
      const env = { FETCH_ALLOW_HOSTS: hosts.join(','), ...(redis && { REDIS_URL: redis.url }) };
      const databaseUrl = await cloneDatabase();
      hands = await Hands.on(databaseUrl);
      deployment = await Deployment.start(databaseUrl, [
        { ...env, ROLE: 'all' },
        { ...env, ROLE: 'worker' },
      ]);
    });
    afterAll(async () => {
      await hands.close();
      await deployment.stop();
      await crowd.stop();
      await redis?.stop();
    });

    const register = async (owner: number): Promise<string> => {
      const { key, accountId } = await KeyCaller.register(deployment.asWorld(), 1_000_000n);
      const { port } = new URL(crowd.origin);
      for (const [place, type] of TYPES.entries()) {
        const url = `http://${hostOf(owner, place)}:${port}/`;
        const made = await deployment.post(
          0,
          '/v1/agent/webhooks',
          { url, types: [type] },
          { 'x-api-key': key },
        );
        expect(made.status).toBe(201);
      }
      return accountId;
    };

    /** Makes events one after the other, each committed before the next. */
    const happen = async (owner: string, first: number, count: number): Promise<void> => {
      for (let n = first; n < first + count; n += 1) {
        await deployment.db.rows(`insert into event (id, owner, type, data) values ($1, $2, $3, '{}')`, [
          `evt_${owner}_${n}`,
          owner,
          TYPES[n % TYPES.length],
        ]);
      }
    };

    /** Makes retries due at once, and frees the deliveries of a dead process after a few seconds. */
    const compressTime = (): Promise<unknown> =>
      deployment.db.rows(
        `with woken as (update webhook_endpoint set rest_until = null where rest_until is not null)
       update webhook_delivery set due_at = least(due_at, now()),
         taken_until = case when taken_until < now() + interval '24 seconds' then null else taken_until end
       where state = 'pending' and (due_at > now() or taken_until < now() + interval '24 seconds')`,
      );

    const emptyQueue = async (): Promise<void> => {
      if (redis === undefined) return hands.emptyQueue();
      const client = new Redis(redis.url);
      await client.flushall();
      client.disconnect();
    };

    it('reaches all of them, each first try in order, whichever process dies and whatever the queue forgets', async () => {
      const owners = await Promise.all(Array.from({ length: OWNERS }, (_, n) => register(n)));

      await Promise.all(owners.map((owner) => happen(owner, 0, EVENTS_OF_EACH / 2)));
      await expectEventually(() => [...crowd.received.values()].flat().length > 50);
      await deployment.kill(1);
      await Promise.all(owners.map((owner) => happen(owner, EVENTS_OF_EACH / 2, EVENTS_OF_EACH / 4)));
      await emptyQueue();
      await Promise.all(owners.map((owner) => happen(owner, (EVENTS_OF_EACH * 3) / 4, EVENTS_OF_EACH / 4)));

      await expectEventually(async () => {
        await compressTime();
        await pause(200);
        const [left] = await deployment.db.rows<{ pending: string; all: string }>(
          `select count(*) filter (where state = 'pending') as pending, count(*) as all from webhook_delivery`,
        );
        return left?.pending === '0' && left.all === String(OWNERS * EVENTS_OF_EACH);
      });
      for (const [place, owner] of owners.entries()) {
        for (const type of TYPES.keys()) {
          const wanted = Array.from(
            { length: EVENTS_OF_EACH / TYPES.length },
            (_, n) => `evt_${owner}_${n * TYPES.length + type}`,
          );
          const firsts = [...new Set(crowd.received.get(hostOf(place, type)))];
          expect([hostOf(place, type), firsts]).toEqual([hostOf(place, type), wanted]);
        }
      }
      const failed = await deployment.db.rows(`select * from webhook_delivery where state <> 'delivered'`);
      expect(failed).toEqual([]);
    });
  },
);
