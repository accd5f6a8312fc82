import { EventHub } from '#notices/events/event-hub';
import { Drain } from '#platform/http/drain';
import { KeyCaller, WalletCaller } from '../support/caller';
import { type ReadEvent, readEvents } from '../support/event-reader';
import { expectEventually } from '../support/eventually';
import { World } from '../support/world';

const URL_OF_EVENTS = '/v1/agent/events';

const idsOf = (events: readonly { readonly id?: string }[]): (string | undefined)[] =>
  events.map(({ id }) => id);

describe('reading events', () => {
  let worlds: [World, World];
  let bases: string[];
  let caller: KeyCaller;
  let key: { 'x-api-key': string };

  /** Writes events like the service, each with a separate statement. */
  const write = async (owner: string, ...ids: string[]): Promise<void> => {
    for (const id of ids) {
      await worlds[0].db.rows(
        `insert into event (id, owner, type, data) values ($1, $2, 'balance.low', jsonb_build_object('n', $1::text))`,
        [`evt_${id}`, owner],
      );
    }
  };
  const page = (query = '', headers: Readonly<Record<string, string>> = key) =>
    worlds[0].get(`${URL_OF_EVENTS}${query}`, headers);
  const stream = (
    enough: number,
    query = '',
    headers: Readonly<Record<string, string>> = {},
    base = bases[0]!,
  ) =>
    readEvents(`${base}${URL_OF_EVENTS}${query}`, { ...key, ...headers }, ({ length }) => length >= enough);
  const signedIn = ({ cookie }: KeyCaller) => ({ cookie, origin: worlds[0].settings.http.publicUrl });
  const deleteKey = (of: KeyCaller) =>
    worlds[0].send({ method: 'DELETE', url: `/v1/account/keys/${of.keyId}`, headers: signedIn(of) });
  /** The number of open streams, as all processes count it. */
  const openStreams = async ({ accountId }: KeyCaller): Promise<number> => {
    const row = await worlds[0].db.one<{ open: string }>(
      'select coalesce(sum(open), 0) as open from open_stream where whose = $1',
      [`owner ${accountId}`],
    );
    return Number(row?.open);
  };
  /** Waits until this many readers follow the log, because a stream without an event is not visible from outside. */
  const listening = (readers: number, among: readonly World[] = worlds): Promise<void> =>
    expectEventually(() => {
      const hubs = among.map((world) => world.app.get(EventHub, { strict: false }));
      const following = hubs.flatMap((hub) => [...hub['followers'].values()]);
      return following.reduce((sum, { size }) => sum + size, 0) === readers;
    });

  beforeAll(async () => {
    const first = await World.start();
    worlds = [first, await World.start({ DATABASE_URL: first.settings.databaseUrl! })];
    bases = await Promise.all(worlds.map((world) => world.listen()));
  });

  beforeEach(async () => {
    caller = await KeyCaller.register(worlds[0], 0n);
    key = { 'x-api-key': caller.key };
  });

  afterAll(() => Promise.all(worlds.map((world) => world.stop())));

  it('is a page, from which the next one goes on, for keys, sessions and wallets', async () => {
    const wallet = await new WalletCaller().fund(worlds[0], 5_000_000n);
    const signedIn = { 'sign-in-with-x': await wallet.signIn(worlds[0]) };
    await expectEventually(async () => (await page('', signedIn)).body.events.length === 1);
    await write(caller.accountId, 'p1', 'p2', 'p3');
    await expectEventually(async () => (await page()).body.events.length === 3);

    const first = await page('?limit=2');
    const second = await page(`?limit=2&after=${first.body.nextCursor}`);
    const third = await page(`?after=${second.body.nextCursor}`);
    const session = await page('', { cookie: caller.cookie });
    const ofWallet = await page('', signedIn);

    expect(idsOf(first.body.events)).toEqual(['evt_p1', 'evt_p2']);
    expect(idsOf(second.body.events)).toEqual(['evt_p3']);
    expect(third.body).toEqual({ events: [], nextCursor: second.body.nextCursor });
    expect(idsOf(session.body.events)).toEqual(['evt_p1', 'evt_p2', 'evt_p3']);
    expect(ofWallet.body.events).toMatchObject([
      { type: 'balance.topped_up', data: { amountMicro: 5_000_000, balanceMicro: 5_000_000 } },
    ]);
  });

  it('refuses who proves nothing, a type that is none, and a cursor that is none or somebody else’s', async () => {
    await write('acc_somebody', 'theirs');
    await expectEventually(async () => (await page('?after=now')).status === 200);

    const answers = await Promise.all([
      page('', {}),
      page('?types=job.done,job.dreamt'),
      page('?after=at_999999999'),
      page('?after=evt_theirs'),
      page('?after=at_0'),
      page(`?after=evt_${(1_000_000_000_000).toString(36).padStart(9, '0')}abcdefghijklmnopqrstuv.d`),
      page('?limit=0'),
    ]);

    expect(answers.map(({ status }) => status)).toEqual([401, 400, 400, 400, 410, 410, 400]);
    expect(answers[4]!.body.error.code).toBe('CURSOR_EXPIRED');
    expect(answers[1]!.body.error.param).toBe('types');
  });

  it.each(['hello', '-1', '%20', '0x', 'e', 'evt_', 'evt_a', 'evt_%27', '%F0%9F%A6%8A'])(
    'refuses %j as a cursor, which is none',
    async (after) => {
      const answers = [await page(`?after=${after}`), await page('', { ...key, 'last-event-id': after })];

      expect(answers.map(({ status, body }) => [status, body.error.param])).toEqual([
        [400, 'after'],
        [400, 'after'],
      ]);
    },
  );

  it('answers a wait with the first event of a wanted type, and with none when its time is up', async () => {
    const wait = { ...key, prefer: 'wait=30' };

    const [answer] = await Promise.all([
      page('?types=balance.low', wait),
      listening(1).then(() => write(caller.accountId, 'w1')),
    ]);
    const empty = await page(`?after=${answer.body.nextCursor}&types=job.done`, { ...key, prefer: 'wait=1' });

    expect(idsOf(answer.body.events)).toEqual(['evt_w1']);
    expect(empty.body.events).toEqual([]);
    expect(empty.body.nextCursor).toMatch(/^at_\d+$/);
  });

  it('streams what was and then what comes, in whatever process it happens', async () => {
    const other = await KeyCaller.register(worlds[0], 0n);
    await write(caller.accountId, 's1');

    const reading = [
      stream(3),
      stream(2, '?after=evt_s1', {}, bases[1]),
      stream(2, '', { 'last-event-id': 'evt_s1' }),
      stream(1, '', { 'x-api-key': other.key }),
    ];
    await listening(4);
    await write(caller.accountId, 's2', 's3');
    await write(other.accountId, 'theirs1');
    const [all, behind, resumed, theirs] = await Promise.all(reading);

    expect(idsOf(all!.events)).toEqual(['evt_s1', 'evt_s2', 'evt_s3']);
    expect(all!.events[0]).toMatchObject({
      event: 'balance.low',
      data: { id: 'evt_s1', type: 'balance.low', data: { n: 'evt_s1' } },
    });
    expect(idsOf(behind!.events)).toEqual(['evt_s2', 'evt_s3']);
    expect(idsOf(resumed!.events)).toEqual(['evt_s2', 'evt_s3']);
    expect(idsOf(theirs!.events)).toEqual(['evt_theirs1']);
  });

  it('gives each id exactly once to readers who break off wherever they like, and nobody else’s', async () => {
    const total = 60;
    const other = await KeyCaller.register(worlds[0], 0n);
    const readAll = async (seed: number): Promise<(string | undefined)[]> => {
      const seen: ReadEvent[] = [];
      for (let turn = seed; seen.length < total; turn += 1) {
        const last = seen.at(-1)?.id;
        const { events } = await readEvents(
          `${bases[turn % 2]}${URL_OF_EVENTS}`,
          { ...key, ...(last === undefined ? {} : { 'last-event-id': last }) },
          ({ length }) => length >= 1 + ((turn * 7) % 13) || seen.length + length >= total,
        );
        seen.push(...events);
      }
      return idsOf(seen);
    };

    const readers = [1, 2, 3, 4].map(readAll);
    const others = stream(total, '', { 'x-api-key': other.key });
    await Promise.all(
      [0, 1, 2].map(async (reader) => {
        for (let n = reader; n < total; n += 3) {
          await write(caller.accountId, `x${n}`);
          await write(other.accountId, `y${n}`);
        }
      }),
    );
    const read = await Promise.all(readers);

    for (const ids of read) {
      expect(ids).toEqual(read[0]);
      expect(new Set(ids).size).toBe(total);
      expect(ids.every((id) => id?.startsWith('evt_x'))).toBe(true);
    }
    expect(idsOf((await others).events).every((id) => id?.startsWith('evt_y'))).toBe(true);
  });

  it('loses nothing while the connection for notices is lost', async () => {
    const reading = stream(2);
    await listening(1);
    await worlds[0].db.rows(
      `select pg_terminate_backend(pid) from pg_stat_activity
       where application_name = 'lamppost listener' and datname = current_database()`,
    );
    await write(caller.accountId, 'l1');
    await write(caller.accountId, 'l2');

    expect(idsOf((await reading).events)).toEqual(['evt_l1', 'evt_l2']);
  });

  it('lets an owner have twenty streams and waits at a time, in whatever processes they are', async () => {
    let refused = 0;
    const open = Array.from({ length: 23 }, async (_, n) => {
      const { status, events } = await stream(1, '', {}, bases[n % 2]);
      refused += status === 429 ? 1 : 0;
      return events.length;
    });
    await expectEventually(() => refused === 3);

    await write(caller.accountId, 'o1');
    const read = await Promise.all(open);

    expect(read.reduce((sum, events) => sum + events, 0)).toBe(20);
    await expectEventually(async () => (await stream(1)).status === 200);
    await expectEventually(async () => (await openStreams(caller)) === 0);
  });

  it('releases the streams of a process that died', async () => {
    await worlds[0].db.rows(
      `insert into open_stream (whose, process, open, until) values
         ('owner ' || $1, 'prc_stands', 19, now() + interval '1 minute'),
         ('owner ' || $1, 'prc_dead', 5, now() - interval '1 second')`,
      [caller.accountId],
    );
    await write(caller.accountId, 'g1');
    const reading = readEvents(`${bases[0]}${URL_OF_EVENTS}`, key, () => false);
    await expectEventually(async () => (await openStreams(caller)) === 25);

    expect((await stream(1)).status).toBe(429);
    await deleteKey(caller);
    await reading;
  });

  it('ends streams and waits soon after what proved their caller has ended, in every process', async () => {
    const { db } = worlds[0];
    const ends: Record<string, [by: 'key' | 'session', end: (of: KeyCaller) => Promise<unknown>]> = {
      'the key is deleted': ['key', (of) => deleteKey(of)],
      'the key expires': [
        'key',
        ({ keyId }) => db.rows('update api_key set expires_at = now() where id = $1', [keyId]),
      ],
      'the session ends': ['session', (of) => worlds[0].post('/v1/account/sign-out', {}, signedIn(of))],
      'the account is banned': [
        'session',
        ({ accountId }) => db.rows('update account set banned_at = now() where id = $1', [accountId]),
      ],
    };
    const url = `${bases[1]}${URL_OF_EVENTS}`;
    const theirs = readEvents(url, key, ({ length }) => length > 0);

    const ended = await Promise.all(
      Object.values(ends).map(async ([by, end]) => {
        const who = await KeyCaller.register(worlds[0], 0n);
        const headers: Record<string, string> =
          by === 'key' ? { 'x-api-key': who.key } : { cookie: who.cookie };
        const reading = readEvents(url, headers, () => false);
        const waiting = worlds[0].get(URL_OF_EVENTS, { ...headers, prefer: 'wait=60' });
        await expectEventually(async () => (await openStreams(who)) === 2);
        await end(who);
        return [(await reading).ended, (await waiting).body.events];
      }),
    );

    expect(ended).toEqual(Object.keys(ends).map(() => [true, []]));
    await write(caller.accountId, 'theirs2');
    expect((await theirs).ended).toBe(false);
  });

  it('ends streams and waits at once when the service stops', async () => {
    const leaving = await World.start({ DATABASE_URL: worlds[0].settings.databaseUrl! });
    const base = await leaving.listen();
    const reading = readEvents(`${base}${URL_OF_EVENTS}`, key, () => false);
    const waiting = leaving.get(URL_OF_EVENTS, { ...key, prefer: 'wait=60' });
    await listening(2, [leaving]);

    leaving.app.get(Drain, { strict: false }).begin();

    expect((await reading).ended).toBe(true);
    expect((await waiting).body.events).toEqual([]);
    await leaving.stop();
  });
});
