import type { Pool, PoolClient } from 'pg';
import { DataSource } from 'typeorm';

import { KeyCaller } from '../support/caller';
import { expectEventually } from '../support/eventually';
import { World } from '../support/world';

const RETRY = { 'x-stainless-retry-count': '1' };

const BODIES = {
  '/v1/agent/generate': { prompt: 'a fox' },
  '/v1/chat/completions': {
    model: 'lumen-flash',
    messages: [{ role: 'user', content: 'hello' }],
    max_tokens: 20,
  },
};

describe('a call that stalls in its hold while its client sends it again', () => {
  let worlds: readonly [World, World];
  let caller: KeyCaller;
  let free: () => void = () => undefined;

  beforeAll(async () => {
    const first = await World.start();
    const second = await World.start({ DATABASE_URL: first.settings.databaseUrl ?? '' });
    worlds = [first, second];
  });

  beforeEach(async () => {
    caller = await KeyCaller.register(worlds[0], 10_000_000n);
  });

  afterEach(() => {
    free();
    return worlds[0].expectBooksToBalance();
  });

  afterAll(async () => {
    for (const world of worlds) await world.stop();
  });

  const poolOf = (world: World): Pool =>
    (world.app.get(DataSource).driver as unknown as { readonly master: Pool }).master;

  /** Takes every connection of a process, so that its next statement waits. */
  const takeConnections = async (world: World): Promise<() => void> => {
    const pool = poolOf(world);
    const taken = await Promise.all(Array.from({ length: pool.options.max }, () => pool.connect()));
    free = () => taken.splice(0).forEach((client: PoolClient) => client.release());
    return free;
  };

  /** Locks the row of the caller's account until the answer is called. */
  const lockAccount = async (): Promise<() => Promise<void>> => {
    const client = await poolOf(worlds[0]).connect();
    await client.query('begin');
    await client.query('select from ledger_account where id = $1 for update', [
      `credits:${caller.accountId}`,
    ]);
    return async () => {
      await client.query('rollback');
      client.release();
    };
  };

  const waiting = async (): Promise<number> => {
    const rows = await worlds[1].db.rows(
      `select from pg_stat_activity where wait_event_type = 'Lock' and datname = current_database()`,
    );
    return rows.length;
  };

  const delivered = async (): Promise<number> => {
    const rows = await worlds[1].db.rows(
      `select from replay where delivered_at is not null and charge_id in (select id from charge where payer = $1)`,
      [caller.accountId],
    );
    return rows.length;
  };

  const debits = () =>
    worlds[0].db.rows(`select id from charge where payer = $1 and state <> 'released'`, [caller.accountId]);

  describe.each(Object.keys(BODIES) as (keyof typeof BODIES)[])('at %s', (path) => {
    const send = (world: World, headers: Record<string, string> = {}) =>
      world.post(path, BODIES[path], { authorization: `Bearer ${caller.key}`, ...headers });

    it('is refused when it gets the row of its account before its retry', async () => {
      const unlock = await lockAccount();
      const first = send(worlds[0]);
      await expectEventually(async () => (await waiting()) === 1);
      await new Promise((resolve) => setTimeout(resolve, 150));
      const again = send(worlds[1], RETRY);
      await expectEventually(async () => (await waiting()) === 2);
      await unlock();

      expect((await again).status).toBe(200);
      expect(await first).toMatchObject({ status: 409, body: { error: { code: 'IDEMPOTENCY_IN_FLIGHT' } } });
      expect(await debits()).toHaveLength(1);
    });

    it('is refused when its retry was charged and answered meanwhile', async () => {
      const giveBack = await takeConnections(worlds[0]);
      const first = send(worlds[0]);
      await new Promise((resolve) => setTimeout(resolve, 150));
      expect((await send(worlds[1], RETRY)).status).toBe(200);
      giveBack();

      expect((await first).status).toBe(409);
      expect(await debits()).toHaveLength(1);
    });

    it('is refused as the first of two retries, too', async () => {
      const giveBack = await takeConnections(worlds[0]);
      const first = send(worlds[0], RETRY);
      await new Promise((resolve) => setTimeout(resolve, 150));
      expect((await send(worlds[1], { 'x-stainless-retry-count': '2' })).status).toBe(200);
      await expectEventually(async () => (await delivered()) === 1);
      giveBack();
      await first;

      expect(await debits()).toHaveLength(1);
    });

    it('is served when it was sent after the retry, because it may be meant twice', async () => {
      expect((await send(worlds[1], RETRY)).status).toBe(200);
      expect((await send(worlds[0])).status).toBe(200);
      expect(await debits()).toHaveLength(2);
    });
  });
});
