import './sample-sales/in-the-list';

import { readFileSync } from 'node:fs';

import { Injectable, Module } from '@nestjs/common';

import { AppModule } from '../../src/app.module';
import { ChargeService } from '#money/billing/calls/charge.service';
import { EventsProcessor } from '#notices/outbox/events.processor';
import { OnEvent, type TeamEvent } from '#notices/outbox/listeners/on-event';
import { SweepPausesProcessor } from '#platform/queue/sweep-pauses.processor';
import { KeyCaller } from '../support/caller';
import { expectEventually } from '../support/eventually';
import { cloneDatabase } from '../support/postgres';
import { World } from '../support/world';
import { walkThroughText } from '../support/walk-throughs';
import { SampleSalesListener } from './sample-sales/sample-sales.listener';

const CHAT = { messages: [{ role: 'user', content: 'Say hello.' }], max_tokens: 16 };
const FAILING = 'a team that fails';

/** Fails as long as `fails` says so, and counts its calls by event. */
@Injectable()
class FailingListener {
  fails = true;
  readonly calls = new Map<string, number>();

  @OnEvent({ name: FAILING, types: ['charge.charged'] })
  fail({ id }: TeamEvent): Promise<void> {
    this.calls.set(id, (this.calls.get(id) ?? 0) + 1);
    return this.fails ? Promise.reject(new Error('The team is away.')) : Promise.resolve();
  }
}

@Module({ providers: [FailingListener] })
class FailingModule {}

const listed = AppModule.with.bind(AppModule);
AppModule.with = (settings) => {
  const module = listed(settings);
  return { ...module, imports: [...(module.imports ?? []), FailingModule] };
};

describe('events in the process of a team', () => {
  let databaseUrl: string;
  let world: World;
  let sales: SampleSalesListener;
  let failing: FailingListener;
  let caller: KeyCaller;

  beforeAll(async () => {
    databaseUrl = await cloneDatabase();
    world = await World.start({ DATABASE_URL: databaseUrl });
    sales = world.app.get(SampleSalesListener, { strict: false });
    failing = world.app.get(FailingListener, { strict: false });
  });
  beforeEach(async () => {
    caller = await KeyCaller.register(world, 10_000_000n);
    sales.book.clear();
  });
  afterEach(() => world.expectBooksToBalance());
  afterAll(() => world.stop());

  const session = (): Record<string, string> => ({
    cookie: caller.cookie,
    origin: new URL(world.settings.http.publicUrl).origin,
  });
  const ofType = (type: string): TeamEvent[] =>
    [...sales.book.values()].filter((event) => event.type === type);
  const pay = async (in_: World = world): Promise<string> => {
    const { headers } = await in_.post('/v1/agent/chat', CHAT, { 'x-api-key': caller.key });
    return String(headers['x-charge-id']);
  };
  const charged = async (id: string): Promise<TeamEvent> => {
    const found = (): TeamEvent | undefined => ofType('charge.charged').find(({ data }) => data['id'] === id);
    await expectEventually(() => Promise.resolve(found() !== undefined));
    return found()!;
  };

  it.each(['sample-sales.listener.ts', 'sample-sales.module.ts'])(
    'are in the walk-through, word for word: %s',
    (file) => {
      const source = readFileSync(`test/extending/sample-sales/${file}`, 'utf8');

      expect(walkThroughText()).toContain(source);
    },
  );

  it('say what was charged and refunded, as webhooks do', async () => {
    const id = await pay();
    const { owner, data } = await charged(id);
    const charges = world.app.get(ChargeService, { strict: false });

    await charges.refund((await charges.find(id))!);

    expect([owner, data['state']]).toEqual([caller.accountId, 'charged']);
    await expectEventually(() => Promise.resolve(ofType('charge.refunded').length === 1));
    expect(ofType('charge.refunded')[0]!.data).toMatchObject({ id, state: 'refunded' });
  });

  it('say that a job is done', async () => {
    const { body } = await world.post(
      '/v1/agent/generate',
      { prompt: 'a lamp' },
      { 'x-api-key': caller.key },
    );

    await expectEventually(() => Promise.resolve(ofType('job.done').length === 1));
    expect(ofType('job.done')[0]!.data).toMatchObject({
      id: body.jobId ?? expect.any(String),
      status: 'done',
    });
  });

  it('say that a key has ended: by its owner, or by its time', async () => {
    const make = async (name: string): Promise<string> =>
      (await world.post('/v1/account/keys', { name, expiresInDays: 30 }, session())).body.id;
    const [deleted, expired, both] = [await make('deleted'), await make('expired'), await make('both')];
    const remove = (id: string) =>
      world.send({ method: 'DELETE', url: `/v1/account/keys/${id}`, headers: session() });

    await remove(deleted);
    await world.db.rows('update api_key set expires_at = now() where id = $1', [both]);
    await world.db.rows('update api_key set deleted_at = now() where id = $1', [both]);
    await world.db.rows('update api_key set expires_at = now() where id = $1', [expired]);
    await world.app.get(EventsProcessor, { strict: false }).run();
    await expectEventually(() => Promise.resolve(ofType('key.ended').length === 3));
    // A deletion of an expired key is no second end.
    await world.db.rows('update api_key set deleted_at = now() where id = $1', [expired]);
    await world.app.get(EventsProcessor, { strict: false }).run();

    expect(ofType('key.ended').map(({ owner, data }) => [owner, data['id'], data['reason']])).toEqual([
      [caller.accountId, deleted, 'deleted'],
      [caller.accountId, both, 'expired'],
      [caller.accountId, expired, 'expired'],
    ]);
    expect(
      await world.db.rows(`select from event where type = 'key.ended' and owner = $1`, [caller.accountId]),
    ).toHaveLength(3);
    const { events } = (await world.get('/v1/agent/events', { 'x-api-key': caller.key })).body;
    expect(events.map(({ type }: TeamEvent) => type)).toEqual(['balance.topped_up']);
  });

  it('come again to a listener that fails, later each time, and hold up no other listener', async () => {
    const id = `evt_${(await pay()).slice('ch_'.length)}.c`;
    const pause = () =>
      world.db.one<{ failures: number; seconds: number }>(
        `select failures, extract(epoch from retry_at - now())::int as seconds from sweep_pause where sweep = $1 and id = $2`,
        [`listener:${FAILING}`, id],
      );

    await charged(id.replace('evt_', 'ch_').slice(0, -2));
    await expectEventually(async () => (await pause())?.failures === 1);
    const another = `evt_${(await pay()).slice('ch_'.length)}.c`;
    await expectEventually(() => Promise.resolve(failing.calls.get(another) === 1));
    await world.db.rows('update sweep_pause set retry_at = now() where id = $1', [id]);
    await pay();
    await expectEventually(async () => (await pause())?.failures === 2);
    expect((await pause())!.seconds).toBeGreaterThan(10);
    await world.app.get(SweepPausesProcessor, { strict: false }).run();
    expect((await world.get('/metrics')).body).toMatch(
      /lamppost_sweep_failing_rows\{sweep="listener:a team that fails"\} [3-9]/,
    );

    failing.fails = false;
    await world.db.rows('update sweep_pause set retry_at = now()');
    await pay();

    await expectEventually(async () => (await pause()) === undefined);
    expect(failing.calls.get(id)).toBe(3);
  });

  it('come to one process at a time, and to another one when that has died', async () => {
    const other = await World.start({ DATABASE_URL: databaseUrl });
    const others = other.app.get(SampleSalesListener, { strict: false });
    const ids = [await pay(), await pay(other), await pay(), await pay(other)];
    const seen = (): string[] =>
      [...sales.book.values(), ...others.book.values()]
        .filter(({ type }) => type === 'charge.charged')
        .map(({ data }) => String(data['id']));

    await expectEventually(() => Promise.resolve(ids.every((id) => seen().includes(id))));
    expect(seen().length).toBe(4);

    // A process that died has the lease.
    await world.db.rows(
      `update event_listener set holder = 'dead', lease_until = now() + interval '1 hour' where name = 'sample-sales'`,
    );
    const late = await pay();
    const eventIds = [late, await pay()].map((id) => `evt_${id.slice('ch_'.length)}.c`);
    const calls = (): string[] =>
      [failing, other.app.get(FailingListener, { strict: false })].flatMap((each) => [...each.calls.keys()]);
    await expectEventually(() => Promise.resolve(eventIds.every((id) => calls().includes(id))));
    expect(seen()).not.toContain(late);
    await world.db.rows(
      `update event_listener set lease_until = now() - interval '1 second' where name = 'sample-sales'`,
    );
    await pay();
    await expectEventually(() => Promise.resolve(seen().includes(late)));
    await other.stop();
  });

  it('come again if the process dies before the cursor has moved', async () => {
    const cursor = await world.db.one(
      'select position, written, event_id from event_listener where name = $1',
      ['sample-sales'],
    );
    const id = await pay();
    await charged(id);
    sales.book.clear();

    await world.db.rows(
      'update event_listener set (position, written, event_id) = ($1, $2, $3) where name = $4',
      [...Object.values(cursor!), 'sample-sales'],
    );
    await pay();

    expect((await charged(id)).data).toMatchObject({ id });
  });
});
