import { randomBytes } from 'node:crypto';

import { AccountFunds } from '#money/billing/ledger/account-funds';
import { creditsAccount } from '#money/billing/ledger/account-id';
import { StreamLimits } from '#notices/events/stream-limits';
import { micro } from '#kernel/money';
import { Browser } from '../support/browser';
import { expectEventually } from '../support/eventually';
import { type Answer, World } from '../support/world';

const KEYS = '/v1/agent/keys';
const HOOK = { url: 'https://example.com/hook' };

interface Key {
  readonly id: string;
  readonly key: string;
}

const by = ({ key }: Key) => ({ 'x-api-key': key });
const statuses = (answers: readonly Answer[]) => {
  const counts: Record<string, number> = {};
  for (const { status, body } of answers) {
    const name = `${status} ${String(body.error?.code ?? '')}`.trim();
    counts[name] = (counts[name] ?? 0) + 1;
  }
  return counts;
};

/** Limits on the number of objects hold also for calls that arrive at the same moment. */
describe('limits on the number of objects', () => {
  let world: World;
  let ann: Browser;

  beforeAll(async () => {
    world = await World.start({ DATABASE_CONNECTIONS: '20' });
  });

  beforeEach(async () => {
    ann = await Browser.registered(world);
    await world.app
      .get(AccountFunds, { strict: false })
      .topUp(creditsAccount(ann.id), micro(1_000_000n), `test:${ann.id}`);
  });

  afterAll(() => world.stop());

  /** Adds rows of keys as the service would have written them after that many calls. */
  const fillKeys = (count: number, more: { depth?: number; parent?: Key; expired?: boolean } = {}) =>
    world.db.rows(
      `insert into api_key (id, account_id, name, hash, prefix, depth, parent_id, above, expires_at, created_at)
       select 'key_' || md5($1 || n), $1, 'filled', sha256(($1 || n || $6)::bytea), 'lp_filled00', $3, $4::text,
         case when $4::text is null then '{}'::text[] else array[$4::text] end,
         case when $5 then now() end, now() - interval '1 day' + n * interval '1 millisecond'
       from generate_series(1, $2) n`,
      [
        ann.id,
        count,
        more.depth ?? 0,
        more.parent?.id ?? null,
        more.expired ?? false,
        randomBytes(4).toString('hex'),
      ],
    );
  const hand = (from: Key, more: object = {}) =>
    world.post(KEYS, { limitMicro: 1_000, expiresInSeconds: 3_600, ...more }, by(from));
  const handed = async (from: Key, more: object = {}): Promise<Key> => {
    const made = await hand(from, more);
    expect(made.status).toBe(201);
    return made.body as Key;
  };
  const times = <T>(count: number, work: () => Promise<T>): Promise<T[]> =>
    Promise.all(Array.from({ length: count }, work));

  it('for keys are not exceeded by calls that come together', async () => {
    await fillKeys(95);

    let making: Promise<Answer[]> | undefined;
    await world.db.transaction(async (queries) => {
      // A call that adds a key waits for this lock after it has counted.
      await queries.rows('select from account where id = $1 for update', [ann.id]);
      making = times(25, () => ann.post('/v1/account/keys', { name: 'one more', expiresInDays: 30 }));
      await expectEventually(async () => {
        // Postgres ends a transaction that is idle for long, as it is here on a slow machine.
        await queries.rows('select 1');
        const waiting = await world.db.rows(
          `select from pg_stat_activity where wait_event_type = 'Lock' and datname = current_database()`,
        );
        return waiting.length >= 7;
      });
    });

    expect(statuses((await making)!)).toEqual({ '201': 5, '409 TOO_MANY_KEYS': 20 });
  });

  it('for keys are left to the owner by delegated keys, and by one of these to the others', async () => {
    const root = await ann.makeKey();
    const [greedy, modest] = [await handed(root), await handed(root)];

    expect(statuses(await times(15, () => hand(greedy)))).toEqual({ '201': 10, '409 TOO_MANY_KEYS': 5 });
    expect((await hand(modest)).status).toBe(201);

    await fillKeys(45, { depth: 2 });
    expect(statuses([await hand(modest)])).toEqual({ '409 TOO_MANY_KEYS': 1 });
    expect((await hand(root)).status).toBe(201);
    expect((await ann.makeKey()).key).toMatch(/^lp_/);
  });

  it('for webhook endpoints are left to the owner as well', async () => {
    const root = await ann.makeKey();
    const scopes = { routes: ['webhooks'] };
    const keys = [
      await handed(root, { scopes }),
      await handed(root, { scopes }),
      await handed(root, { scopes }),
    ];

    const made = (await Promise.all(
      keys.flatMap((key) => [1, 2, 3].map(() => world.post('/v1/agent/webhooks', HOOK, by(key)))),
    )) as Answer[];

    expect(statuses(made)).toEqual({ '201': 5, '409 TOO_MANY_WEBHOOKS': 4 });
    const own = await times(8, () => world.post('/v1/agent/webhooks', HOOK, by(root)));
    expect(statuses(own)).toEqual({ '201': 5, '409 TOO_MANY_WEBHOOKS': 3 });
  });

  it('for streams are left to the owner, and by one delegated key to the others', async () => {
    const streams = world.app.get(StreamLimits, { strict: false });
    const take = (only?: string) =>
      streams.take('203.0.113.1', ann.id, only).then(
        (leave) => leave,
        () => undefined,
      );

    const ofOne = await times(8, () => take('key_one'));
    const ofOthers = [
      ...(await times(5, () => take('key_two'))),
      ...(await times(5, () => take('key_three'))),
    ];
    const ofOwner = await times(12, () => take());

    const took = (taken: readonly unknown[]) => taken.filter((leave) => leave !== undefined).length;
    expect([took(ofOne), took(ofOthers), took(ofOwner)]).toEqual([5, 5, 10]);
    [...ofOne, ...ofOthers, ...ofOwner].forEach((leave) => leave?.());
  });

  it('for organisations are not exceeded by founding, by an invite or by being made an owner', async () => {
    const foundAll = await times(25, () => ann.post('/v1/account/organisations', { name: 'Acme' }));
    // The person's own account counts as the first of twenty.
    expect(statuses(foundAll)).toEqual({ '201': 19, '409 TOO_MANY_ORGANISATIONS': 6 });

    const bob = await Browser.registered(world);
    const org = await bob.founds();
    const invited = await bob.invite({ role: 'owner' });
    const accepted = await ann.accept(invited.body.inviteUrl as string);
    expect(statuses([accepted])).toEqual({ '409 TOO_MANY_ORGANISATIONS': 1 });
    await ann.accept((await bob.invite({ role: 'viewer' })).body.inviteUrl as string);
    const raised = await bob.patch(`/v1/account/organisations/${org}/members/${ann.id}`, { role: 'owner' });
    expect(statuses([raised])).toEqual({ '409 TOO_MANY_ORGANISATIONS': 1 });
  });

  it('for members are not exceeded by invites that are open again', async () => {
    const org = await ann.founds();
    const admin = await ann.colleague('admin');
    const links = (await times(40, () => admin.invite({ role: 'viewer' }))).map(
      ({ body }) => body.inviteUrl as string,
    );
    const demote = (role: string) =>
      ann.patch(`/v1/account/organisations/${org}/members/${admin.id}`, { role });
    await demote('viewer');
    await demote('admin');

    expect((await ann.get(`/v1/account/organisations/${org}/invites`)).body.invites).toEqual([]);
    const eve = await Browser.registered(world);
    expect(statuses([await eve.accept(links[0]!)])).toEqual({ '410 INVITE_EXPIRED': 1 });
  });

  it('are given by no invite that was made while its maker was being demoted', async () => {
    const org = await ann.founds();
    const admin = await ann.colleague('admin');
    const link = (await admin.invite({ role: 'viewer' })).body.inviteUrl as string;
    await ann.patch(`/v1/account/organisations/${org}/members/${admin.id}`, { role: 'viewer' });
    // The row as it would be if it had been written a moment later.
    await world.db.rows('update invite set ended_at = null where organisation_id = $1', [org]);

    const eve = await Browser.registered(world);
    expect(statuses([await eve.accept(link)])).toEqual({ '410 INVITE_EXPIRED': 1 });
  });

  it('of keys that have ended are listed by pages, to the account and to a key', async () => {
    const root = await ann.makeKey();
    await fillKeys(3_000, { expired: true, depth: 1, parent: root });

    const ids = new Set<string>();
    for (const url of ['/v1/account/keys', KEYS]) {
      let pages = 0;
      let cursor: string | null = '';
      while (cursor !== null) {
        const at: string = `${url}?limit=200${cursor === '' ? '' : `&cursor=${cursor}`}`;
        const page: Answer = url === KEYS ? await world.get(at, by(root)) : await ann.get(at);
        expect(page.status).toBe(200);
        const { keys, nextCursor } = page.body as { keys: { id: string }[]; nextCursor: string | null };
        expect(keys.length).toBeLessThanOrEqual(200);
        keys.forEach(({ id }) => ids.add(id));
        cursor = nextCursor;
        pages += 1;
      }
      expect(pages).toBeGreaterThanOrEqual(15);
    }
    expect(ids.size).toBe(3_001);
    expect((await ann.get('/v1/account/keys')).body.keys).toHaveLength(100);
  });
});
