import { Client } from 'pg';

import { type EventCursor, endOfPosition } from '#notices/outbox/event.repository';
import { EventSequencer } from '#notices/outbox/event-sequencer';
import { EventListenerRepository } from '#notices/outbox/listeners/event-listener.repository';
import { Events } from '#notices/outbox/events';
import { databaseUrlOf } from '#platform/database/database-url';
import { KeyCaller } from '../support/caller';
import { World } from '../support/world';

const TYPES = ['balance.low', 'charge.charged'] as const;
const CHAT = { messages: [{ role: 'user', content: 'Say hello.' }], max_tokens: 16 };
const PAGE = 4;

describe('the pages of a listener', () => {
  let world: World;
  let events: Events;
  let rows: EventListenerRepository;
  let long: Client;
  let short: Client;

  beforeAll(async () => {
    world = await World.start();
    events = world.app.get(Events, { strict: false });
    rows = world.app.get(EventListenerRepository, { strict: false });
    [long, short] = [new Client(databaseUrlOf(world.settings)), new Client(databaseUrlOf(world.settings))];
    await Promise.all([long.connect(), short.connect()]);
  });
  afterEach(() => world.expectBooksToBalance());
  afterAll(async () => {
    await Promise.all([long.end(), short.end()]);
    await world.stop();
  });

  const write = (client: Pick<Client, 'query'>, id: string) =>
    client.query(`insert into event (id, owner, type, data) values ($1, 'somebody', 'balance.low', '{}')`, [
      id,
    ]);
  const place = async (): Promise<bigint> => {
    await world.app.get(EventSequencer, { strict: false }).assignAnyway();
    return (await events.bounds()).latest;
  };
  const readAll = async (from: EventCursor): Promise<{ ids: string[]; pages: number; at: EventCursor }> => {
    const { latest } = await events.bounds();
    const ids: string[] = [];
    let at = from;
    for (let pages = 1; ; pages += 1) {
      const until = (await rows.reach(at, TYPES, PAGE)) ?? latest;
      const found = await rows.between(at, until, TYPES, PAGE);
      ids.push(...found.map(({ id }) => id));
      at = found.length < PAGE ? endOfPosition(until) : found.at(-1)!.cursor;
      if (found.length < PAGE && until >= latest) return { ids, pages, at };
    }
  };

  it('stay short while a transaction is open, and have its events when it has ended', async () => {
    const caller = await KeyCaller.register(world, 5_000_000n);
    const begin = endOfPosition(await place());
    await long.query('begin');
    for (let n = 0; n < 10; n += 1) await write(long, `evt_long_${n}`);
    const written: string[] = [];
    for (let n = 0; n < 20; n += 1) {
      await write(short, `evt_short_${n}`);
      written.push(`evt_short_${n}`);
      if (n % 3 === 0) await place();
      if (n === 9) {
        const { headers } = await world.post('/v1/agent/chat', CHAT, { 'x-api-key': caller.key });
        written.push(`evt_${String(headers['x-charge-id']).slice('ch_'.length)}.c`);
      }
    }
    const latest = await place();

    const reach = await rows.reach(begin, TYPES, PAGE);
    const first = await readAll(begin);

    expect(reach! < latest).toBe(true);
    expect(first.ids).toEqual(written);

    await long.query('commit');
    await write(short, 'evt_short_last');
    await place();
    const longs = Array.from({ length: 10 }, (_, n) => `evt_long_${n}`);
    expect((await readAll(first.at)).ids).toEqual([...longs, 'evt_short_last']);
    expect((await readAll(begin)).ids).toEqual([...first.ids, ...longs, 'evt_short_last']);
  });
});
