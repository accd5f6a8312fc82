import { Client } from 'pg';

import { type EventCursor, type StoredEvent, endOfPosition } from '#notices/outbox/event.repository';
import { databaseUrlOf } from '#platform/database/database-url';
import { EventsProcessor } from '#notices/outbox/events.processor';
import { EventSequencer } from '#notices/outbox/event-sequencer';
import { EVENT_TYPES } from '#notices/outbox/event-types';
import { Events } from '#notices/outbox/events';
import { KeyCaller } from '../support/caller';
import { expectEventually } from '../support/eventually';
import { World } from '../support/world';

const IMAGE = { modelId: 'ember-image', prompt: 'A lamp' };
const CHAT = { messages: [{ role: 'user', content: 'Say something short.' }], max_tokens: 64 };

describe('the event log', () => {
  let world: World;
  let events: Events;

  const of = async (owner: string): Promise<readonly StoredEvent[]> =>
    (await events.after(owner, endOfPosition(0n), EVENT_TYPES, 1_000)).events;
  const typesOf = async (owner: string): Promise<readonly string[]> =>
    (await of(owner)).map(({ type }) => type);
  const expectTypes = async (owner: string, types: readonly string[]): Promise<void> => {
    await expectEventually(async () => (await of(owner)).length >= types.length);
    expect(await typesOf(owner)).toEqual(types);
  };
  const write = (
    client: { query(text: string, values: unknown[]): Promise<unknown> },
    owner: string,
    id: string,
  ) =>
    client.query(`insert into event (id, owner, type, data) values ($1, $2, 'balance.low', '{}')`, [
      id,
      owner,
    ]);

  beforeAll(async () => {
    world = await World.start();
    events = world.app.get(Events, { strict: false });
  });

  afterEach(() => world.expectBooksToBalance());
  afterAll(() => world.stop());

  it('says what became of a medium and of its money, each thing once and in its order', async () => {
    const caller = await KeyCaller.register(world, 5_000_000n);

    const made = await world.post('/v1/agent/generate', IMAGE, { 'x-api-key': caller.key });

    await expectTypes(caller.accountId, ['balance.topped_up', 'charge.charged', 'job.accepted', 'job.done']);
    const [, charged, accepted, done] = (await of(caller.accountId)).map((event) => events.present(event));
    expect(made.status).toBe(200);
    expect(charged?.data).toMatchObject({
      id: made.headers['x-charge-id'],
      state: 'charged',
      rail: 'api-key',
    });
    expect(accepted?.data).toMatchObject({
      status: 'running',
      progress: 0,
      chargeState: 'charged',
      cancellable: true,
    });
    const { body: job } = await world.get(`/v1/agent/jobs/${(done!.data as { id: string }).id}`);
    expect(JSON.parse(JSON.stringify(done?.data))).toMatchObject(job);
  });

  it('says that a medium failed late and that it was refunded', async () => {
    const caller = await KeyCaller.register(world, 5_000_000n);

    const made = await world.post(
      '/v1/agent/generate',
      { modelId: 'torch-video', prompt: 'Waves [[fail]]' },
      { 'x-api-key': caller.key },
    );

    expect(made.body).toMatchObject({ status: 'running' });
    await expectTypes(caller.accountId, [
      'balance.topped_up',
      'charge.charged',
      'job.accepted',
      'job.failed',
      'charge.refunded',
    ]);
    const [, charged, , failed, refunded] = (await of(caller.accountId)).map((event) =>
      events.present(event),
    );
    expect(charged?.data).toMatchObject({ state: 'charged', refundedAt: undefined });
    expect(failed?.data).toMatchObject({ status: 'failed', error: 'The model failed to make it.' });
    expect(refunded?.data).toMatchObject({ id: made.headers['x-charge-id'], state: 'refunded' });
  });

  it('says of text what its charge says', async () => {
    const caller = await KeyCaller.register(world, 5_000_000n);

    await world.post('/v1/agent/chat', CHAT, { 'x-api-key': caller.key });

    await expectTypes(caller.accountId, ['balance.topped_up', 'charge.charged']);
    expect(await world.db.rows('select id from event where owner = $1', [caller.accountId])).toHaveLength(1);
  });

  it('is read page by page within what one transaction wrote', async () => {
    await world.db.longRows(
      60,
      `insert into event (id, owner, type, data)
       select 'evt_many_' || lpad(n::text, 6, '0'), 'many', 'balance.low', '{}' from generate_series(1, 5000) n`,
      [],
    );
    const behind = (place: EventCursor) => events.after('many', place, EVENT_TYPES, 500);
    await expectEventually(async () => (await behind(endOfPosition(0n))).events.length > 0);

    const first = await behind(endOfPosition(0n));
    const second = await behind(first.next);
    const last = await behind({ ...first.next, id: 'evt_many_004997' });

    expect([first, second, last].map((page) => page.events.length)).toEqual([500, 500, 3]);
    expect(second.events[0]?.id).toBe('evt_many_000501');
    expect(last.events.at(-1)?.id).toBe('evt_many_005000');
    expect((await behind(last.next)).events).toEqual([]);
  });

  it('never hides what commits late behind what committed before it', async () => {
    const url = databaseUrlOf(world.settings);
    const [early, late] = [new Client(url), new Client(url)];
    await Promise.all([early.connect(), late.connect()]);
    await late.query('begin');
    await write(late, 'late', 'evt_late_1');
    await write(early, 'late', 'evt_early_1');
    await expectTypes('late', ['balance.low']);
    const first = (await of('late')).at(-1)!;

    await late.query('commit');

    await expectTypes('late', ['balance.low', 'balance.low']);
    const { events: behind } = await events.after('late', first.cursor, EVENT_TYPES, 10);
    expect(behind.map(({ id }) => id)).toEqual(['evt_late_1']);
    expect((await of('late')).map(({ id }) => id)).toEqual(['evt_early_1', 'evt_late_1']);
    await Promise.all([early.end(), late.end()]);
  });

  it('continues where a sequencer died or was suspended', async () => {
    const dying = new Client(databaseUrlOf(world.settings));
    dying.on('error', () => undefined);
    await dying.connect();
    const [{ pid }] = (await dying.query<{ pid: number }>('select pg_backend_pid() as pid')).rows as [
      { pid: number },
    ];
    await dying.query('begin');
    await dying.query(
      `insert into event_watermark (position, snapshot, lower, upper)
       select position + 1, snapshot, lower, upper from event_watermark order by position desc limit 1`,
    );
    await write({ query: (text, values) => world.db.rows(text, values) }, 'dying', 'evt_dying_1');
    await expectEventually(
      async () =>
        (await world.db.rows(`select from pg_locks where locktype = 'transactionid' and not granted`))
          .length > 0,
    );
    expect(await of('dying')).toEqual([]);

    await world.db.rows('select pg_terminate_backend($1)', [pid]);

    await expectTypes('dying', ['balance.low']);
  });

  it('is read the same in pages of any size', async () => {
    for (let n = 0; n < 7; n += 1) {
      await world.db.rows(
        `insert into event (id, owner, type, data)
         select 'evt_page_' || $1 || '_' || n, 'pages', 'balance.low', '{}' from generate_series(1, 5) n`,
        [n],
      );
    }
    await expectEventually(async () => (await of('pages')).length === 35);
    const whole = (await of('pages')).map(({ id }) => id);

    for (const size of [1, 3, 5, 34]) {
      const read: string[] = [];
      let place = endOfPosition(0n);
      for (;;) {
        const page = await events.after('pages', place, EVENT_TYPES, size);
        read.push(...page.events.map(({ id }) => id));
        place = page.next;
        if (page.events.length === 0) break;
      }
      expect(read).toEqual(whole);
    }
  });

  it('is forgotten after thirty days, and begins behind what was forgotten', async () => {
    const processor = world.app.get(EventsProcessor, { strict: false });
    await write({ query: (text, values) => world.db.rows(text, values) }, 'old', 'evt_old_1');
    await expectTypes('old', ['balance.low']);
    const [first] = await of('old');
    await world.db.rows(
      `update event set created_at = now() - interval '30 days 1 minute' where owner = 'old'`,
    );
    await world.db.rows(
      `update event_watermark set seen_at = now() - interval '30 days 1 minute' where position <= $1`,
      [first!.cursor.position],
    );
    await write({ query: (text, values) => world.db.rows(text, values) }, 'old', 'evt_old_2');

    await processor.run();

    await expectTypes('old', ['balance.low']);
    expect((await of('old')).map(({ id }) => id)).toEqual(['evt_old_2']);
    expect((await events.bounds()).oldest).toBe(first!.cursor.position);
  });

  it('is none of another owner', async () => {
    await write({ query: (text, values) => world.db.rows(text, values) }, 'mine', 'evt_mine_1');
    await expectTypes('mine', ['balance.low']);

    expect(await of('min')).toEqual([]);
    expect(await events.cursorOf('min', 'evt_mine_1')).toBeUndefined();
    expect((await events.cursorOf('mine', 'evt_mine_1'))?.id).toBe('evt_mine_1');
  });

  it('loses nothing and says nothing twice when its database is restored into another cluster', async () => {
    const caller = await KeyCaller.register(world, 5_000_000n);
    await expectTypes(caller.accountId, ['balance.topped_up']);
    const { latest } = await events.bounds();
    // The restore is one transaction, so a reader sees all of it or nothing.
    await world.db.transaction(async (restored) => {
      await restored.rows(
        `update event_watermark set upper = upper + 1000000, lower = lower + 1000000,
           snapshot = (lower + 1000000) || ':' || (upper + 1000000) || ':'`,
      );
      await restored.rows('update charge set decided = decided + 1000000 where decided is not null');
      await restored.rows('update event set written = written + 1000000');
      await restored.rows(
        `insert into event (id, owner, type, data, written)
         select 'evt_unseen', $1, 'balance.low', '{}', max(upper) + 5 from event_watermark`,
        [caller.accountId],
      );
    });

    // Other transactions run meanwhile, as in a busy cluster.
    const over = new AbortController();
    const busy = Promise.all(
      Array.from({ length: 4 }, async () => {
        while (!over.signal.aborted) await world.db.rows('select pg_current_xact_id()');
      }),
    );
    await world.app.get(EventSequencer, { strict: false }).assignAnyway();
    over.abort();
    await busy;
    const said = await world.post('/v1/agent/chat', CHAT, { 'x-api-key': caller.key });

    expect(said.status).toBe(200);
    await expectTypes(caller.accountId, ['balance.low', 'charge.charged']);
    expect((await events.bounds()).oldest).toBe(latest + 1n);
  });
});
