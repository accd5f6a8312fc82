import { AccountFunds } from '#money/billing/ledger/account-funds';
import { creditsAccount } from '#money/billing/ledger/account-id';
import { micro } from '#kernel/money';
import { Browser } from '../support/browser';
import { captureLog } from '../support/log-lines';
import { expectEnvelope } from '../support/envelope';
import { World } from '../support/world';

const DAY_MS = 86_400_000;

describe('the keys of an account', () => {
  let world: World;
  let owner: Browser;

  beforeAll(async () => {
    world = await World.start();
  });

  beforeEach(async () => {
    owner = await Browser.registered(world);
  });

  afterEach(() => world.expectBooksToBalance());
  afterAll(() => world.stop());

  const create = (body: object) => owner.post('/v1/account/keys', body);
  const listed = async () => (await owner.get('/v1/account/keys')).body.keys as Record<string, unknown>[];
  const expire = (id: string) =>
    world.db.rows(`update api_key set expires_at = now() - interval '1 second' where id = $1`, [id]);

  describe('made by a call with a mark', () => {
    const marked = (mark: string, body: object = { name: 'marked', expiresInDays: null }) =>
      owner.post('/v1/account/keys', body, { 'idempotency-key': mark });

    it('are made once, and shown again to the same call', async () => {
      const answers = await Promise.all([marked('the same call'), marked('the same call')]);
      const third = await marked('the same call');

      const keys = [...answers, third].map(({ status, body }) => [status, body.id, body.key]);
      expect(new Set(keys.map(String)).size).toBe(1);
      expect(keys[0]).toEqual([
        201,
        expect.stringMatching(/^key_/),
        expect.stringMatching(/^lp_[A-Za-z0-9]{64}$/),
      ]);
      expect(third.headers['idempotent-replayed']).toBe('true');
      expect(await listed()).toHaveLength(1);
      const chat = await world.get('/v1/agent/references', { 'x-api-key': third.body.key });
      expect(chat.status).toBe(200);
    });

    it('are of nobody else, and of no other mark', async () => {
      const mine = (await marked('a common mark')).body.key;
      const other = (await marked('another mark')).body.key;
      owner = await Browser.registered(world);
      const theirs = (await marked('a common mark')).body.key;

      expect(new Set([mine, other, theirs]).size).toBe(3);
    });

    it('are not made by another call with the mark, nor shown after a day or when they are deleted', async () => {
      const first = await marked('used once');

      expectEnvelope(await marked('used once', { name: 'something else', expiresInDays: null }), {
        status: 422,
        code: 'IDEMPOTENCY_MISMATCH',
        param: 'Idempotency-Key',
      });
      expectEnvelope(await marked('short'), {
        status: 400,
        code: 'INVALID_REQUEST',
        param: 'Idempotency-Key',
      });
      await world.db.rows(`update api_key set created_at = now() - interval '25 hours' where id = $1`, [
        first.body.id,
      ]);
      expectEnvelope(await marked('used once'), {
        status: 410,
        code: 'REPLAY_EXPIRED',
        param: 'Idempotency-Key',
      });
      const second = await marked('used for another');
      await owner.delete(`/v1/account/keys/${second.body.id}`);
      expectEnvelope(await marked('used for another'), {
        status: 410,
        code: 'REPLAY_EXPIRED',
        param: 'Idempotency-Key',
      });
    });
  });

  it.each([0, 600])(
    'never come back with a retired secret, with an overlap of %i seconds',
    async (overlapSeconds) => {
      const mark = { 'idempotency-key': `rotated-later-${overlapSeconds}` };
      const fields = { name: 'marked', expiresInDays: null };
      const first = await owner.post('/v1/account/keys', fields, mark);
      const rotated = await owner.post(`/v1/account/keys/${first.body.id}/rotate`, { overlapSeconds });
      expect(rotated.status).toBe(200);

      const again = await Promise.all([1, 2].map(() => owner.post('/v1/account/keys', fields, mark)));

      for (const answer of again)
        expectEnvelope(answer, { status: 410, code: 'REPLAY_EXPIRED', param: 'Idempotency-Key' });
      expect(await listed()).toHaveLength(1);
      const use = await world.get('/v1/agent/references', { 'x-api-key': first.body.key });
      expect(use.status).toBe(overlapSeconds === 0 ? 401 : 200);
    },
  );

  it('are made with a name and an expiry, and shown once', async () => {
    const answer = await create({ name: 'my agent', expiresInDays: 30, spendLimitMicro: 5_000_000 });

    expect(answer.status).toBe(201);
    expect(answer.headers['cache-control']).toBe('no-store');
    const { key, ...shown } = answer.body;
    expect(key).toMatch(/^lp_[A-Za-z0-9]{64}$/);
    expect(shown).toEqual({
      id: expect.stringMatching(/^key_/),
      name: 'my agent',
      prefix: (key as string).slice(0, 11),
      expiresAt: expect.any(String),
      enabled: true,
    });
    expect(Date.parse(shown.expiresAt as string) - Date.now()).toBeGreaterThan(30 * DAY_MS - 60_000);
    expect(Date.parse(shown.expiresAt as string) - Date.now()).toBeLessThan(30 * DAY_MS + 60_000);

    expect(await listed()).toEqual([
      {
        id: shown.id,
        madeBy: owner.id,
        name: 'my agent',
        prefix: shown.prefix,
        state: 'active',
        enabled: true,
        createdAt: expect.any(String),
        expiresAt: shown.expiresAt,
        spendLimitMicro: 5_000_000,
        requestCount: 0,
        spend30dMicro: 0,
        lastUsedAt: null,
        spendLimits: {},
        scopes: {},
        spentMicro: 0,
        mayLoseTodayMicro: 0,
        days: Array.from({ length: 30 }, () => 0),
        depth: 0,
      },
    ]);
  });

  it('show what they spent by day, and the most that they can still lose today', async () => {
    const funds = world.app.get(AccountFunds, { strict: false });
    await funds.topUp(creditsAccount(owner.id), micro(10_000_000n), `test:${owner.id}`);
    const losses = async () =>
      Object.fromEntries((await listed()).map(({ name, mayLoseTodayMicro }) => [name, mayLoseTodayMicro]));
    await create({ name: 'free', expiresInDays: null });
    const limited = { name: 'limited', expiresInDays: null, spendLimits: { dayMicro: 4_000_000 } };
    const { key } = (await create(limited)).body;
    expect(await losses()).toEqual({ free: 10_000_000, limited: 4_000_000 });

    const hand = (name: string, more: object) =>
      world.post('/v1/agent/keys', { name, expiresInSeconds: 3_600, ...more }, { 'x-api-key': key });
    expect((await hand('kept', { limitMicro: 1_000_000, reserve: true })).status).toBe(201);
    expect((await hand('small', { limitMicro: 9_000_000 })).status).toBe(201);
    // The reserve is taken from the balance and from the limit. The key above can lose all of it.
    expect(await losses()).toEqual({
      free: 9_000_000,
      limited: 4_000_000,
      kept: 1_000_000,
      small: 3_000_000,
    });

    const paid = await world.post('/v1/agent/generate', { prompt: 'a lamp' }, { 'x-api-key': key });
    expect(paid.status).toBe(200);
    const price = Number(paid.headers['x-charge-micro']);
    const spent = (await listed()).find(({ name }) => name === 'limited')!;
    expect(spent['mayLoseTodayMicro']).toBe(4_000_000 - price);
    expect((spent['days'] as number[]).at(-1)).toBe(1_000_000 + price);
    await owner.patch(`/v1/account/keys/${spent['id'] as string}`, { enabled: false });
    expect(await losses()).toMatchObject({ limited: 0, kept: 0, small: 0 });
  });

  it('never expire when the owner says so', async () => {
    const { body } = await create({ name: 'for ever', expiresInDays: null });

    expect(body.expiresAt).toBeNull();
    expect(await listed()).toMatchObject([{ state: 'active', expiresAt: null, spendLimitMicro: null }]);
  });

  it('are stored as a hash and a beginning, and never shown again', async () => {
    const { lines } = captureLog(world);
    const { key } = await owner.makeKey();

    const stored = JSON.stringify(await world.db.rows(`select *, encode(hash, 'hex') as hex from api_key`));
    const reported = JSON.stringify(await listed());

    for (const text of [stored, reported, lines.join('\n')]) {
      expect(text).not.toContain(key);
      expect(text).not.toContain(key.slice(11, 40));
    }
  });

  it.each([
    ['no name', { expiresInDays: 30 }, 'name'],
    ['an empty name', { name: '', expiresInDays: 30 }, 'name'],
    ['a name of 101 characters', { name: 'n'.repeat(101), expiresInDays: 30 }, 'name'],
    ['a name with a control character', { name: 'a\u0000b', expiresInDays: 30 }, 'name'],
    ['no expiry', { name: 'n' }, 'expiresInDays'],
    ['31 days', { name: 'n', expiresInDays: 31 }, 'expiresInDays'],
    ['days as text', { name: 'n', expiresInDays: '30' }, 'expiresInDays'],
    ['minus 30 days', { name: 'n', expiresInDays: -30 }, 'expiresInDays'],
    ['a limit of 0', { name: 'n', expiresInDays: 30, spendLimitMicro: 0 }, 'spendLimitMicro'],
    ['a limit below 0', { name: 'n', expiresInDays: 30, spendLimitMicro: -1 }, 'spendLimitMicro'],
    ['half a micro', { name: 'n', expiresInDays: 30, spendLimitMicro: 0.5 }, 'spendLimitMicro'],
    ['scopes of no model', { name: 'n', expiresInDays: 30, scopes: { models: [] } }, 'scopes.models'],
    ['scopes of no route', { name: 'n', expiresInDays: 30, scopes: { routes: [] } }, 'scopes.routes'],
    [
      'a day above its month',
      { name: 'n', expiresInDays: 30, spendLimits: { dayMicro: 3, monthMicro: 2 } },
      'spendLimits.dayMicro',
    ],
    ['a misspelt scope', { name: 'n', expiresInDays: 30, scopes: { route: ['chat'] } }, 'scopes.route'],
    [
      'an unknown limit',
      { name: 'n', expiresInDays: 30, spendLimits: { yearMicro: 5 } },
      'spendLimits.yearMicro',
    ],
    ['misspelt scopes', { name: 'n', expiresInDays: 30, scope: { routes: ['chat'] } }, 'scope'],
    ['a misspelt limit', { name: 'n', expiresInDays: 30, spend_limit_micro: 5 }, 'spend_limit_micro'],
    [
      'an unknown model',
      { name: 'n', expiresInDays: 30, scopes: { models: ['lumen-chat', 'lumen-chta'] } },
      'scopes.models[1]',
    ],
    ['a limit beyond JSON', { name: 'n', expiresInDays: 30, spendLimitMicro: 1e18 }, 'spendLimitMicro'],
  ])('are not made with %s', async (_, body, param) => {
    expectEnvelope(await create(body), { status: 400, code: 'INVALID_REQUEST', param });
    expect(await listed()).toEqual([]);
  });

  it('are not changed to what can be used for nothing, or limits nothing', async () => {
    const { body } = await create({ name: 'n', expiresInDays: 30 });
    const change = (fields: object) => owner.patch(`/v1/account/keys/${body.id}`, fields);

    const param = 'scopes.models';
    expectEnvelope(await change({ scopes: { models: [] } }), { status: 400, code: 'INVALID_REQUEST', param });
    const refused = await change({ spendLimits: { dayMicro: 2_000_001, monthMicro: 2_000_000 } });
    expect(refused.body.error.message).toContain('send 2000000 at most, or raise monthMicro');
    expect((await change({ spendLimits: { dayMicro: 2, monthMicro: 2 } })).status).toBe(200);
    expect((await change({ spendLimits: null, scopes: null })).status).toBe(200);
  });

  it.each([
    [{ scopes: { route: ['chat'] } }, 'scopes.route', 'routes', { scopes: { routes: ['chat'] } }],
    [{ scope: { routes: ['chat'] } }, 'scope', 'scopes', { scopes: { routes: ['chat'] } }],
    [
      { spendLimits: { dayMicros: 5 } },
      'spendLimits.dayMicros',
      'dayMicro',
      { spendLimits: { dayMicro: 5 } },
    ],
    [
      { scopes: { models: ['lumen-chta'] } },
      'scopes.models[0]',
      'lumen-chat',
      { scopes: { models: ['lumen-chat'] } },
    ],
  ])(
    'are neither made nor changed with %j, and %s is said to be %s',
    async (fields, param, meant, mended) => {
      const whole = { name: 'n', expiresInDays: 30, ...fields };
      const refused = await create(whole);
      expectEnvelope(refused, { status: 400, code: 'INVALID_REQUEST', param });
      expect(refused.body.error.message).toContain(`Did you mean ${meant}?`);

      const { body } = await create({ name: 'n', expiresInDays: 30, ...mended });
      expectEnvelope(await owner.patch(`/v1/account/keys/${body.id}`, fields), {
        status: 400,
        code: 'INVALID_REQUEST',
        param,
      });
    },
  );

  it('keep a model in their scopes that has left the catalog', async () => {
    const { body } = await create({ name: 'n', expiresInDays: 30, scopes: { models: ['lumen-chat'] } });
    await world.db.rows(`update api_key set scopes = '{"models": ["gone"]}' where id = $1`, [body.id]);

    const change = (models: string[]) => owner.patch(`/v1/account/keys/${body.id}`, { scopes: { models } });
    expect((await change(['gone', 'lumen-chat'])).status).toBe(200);
    expectEnvelope(await change(['lost']), {
      status: 400,
      code: 'INVALID_REQUEST',
      param: 'scopes.models[0]',
    });
  });

  it('take nothing else from the body', async () => {
    const other = await Browser.registered(world);
    const fields = {
      id: 'key_00000000000000000000',
      key: `lp_${'a'.repeat(64)}`,
      hash: 'x',
      prefix: 'lp_mine',
      accountId: other.id,
      account_id: other.id,
      enabled: false,
      state: 'active',
      expiresAt: '2999-01-01T00:00:00Z',
      requestCount: 7,
      spend30dMicro: -5,
      deletedAt: null,
    };

    const made = await create({ name: 'n', expiresInDays: 30, ...fields });
    const changed = await owner.patch(`/v1/account/keys/${made.body.id}`, {
      name: 'm',
      ...fields,
      enabled: true,
    });

    expect(made.body.key).not.toBe(fields.key);
    expect(changed.body).toMatchObject({ id: made.body.id, name: 'm', enabled: true, requestCount: 0 });
    expect((await other.get('/v1/account/keys')).body.keys).toEqual([]);
    expect(await listed()).toHaveLength(1);
  });

  it('are at most a hundred', async () => {
    await world.db.rows(
      `insert into api_key (id, account_id, name, hash, prefix)
       select 'key_many_' || $1 || n, $1, 'n', sha256(($1 || n)::bytea), 'lp_' from generate_series(1, 100) n`,
      [owner.id],
    );

    expectEnvelope(await create({ name: 'n', expiresInDays: 30 }), { status: 409, code: 'TOO_MANY_KEYS' });
  });

  it('show what they spent: in 30 days, in calls, and when last', async () => {
    const { id } = await owner.makeKey();
    await world.db.rows(
      `insert into key_spend (key_id, day, spent_micro, calls, last_at) values
         ($1, (now() at time zone 'utc')::date, 0, 2, '2030-01-02T03:04:05Z'),
         ($1, (now() at time zone 'utc')::date - 40, 0, 5, '2020-01-01T00:00:00Z')`,
      [id],
    );

    expect(await listed()).toMatchObject([
      { requestCount: 7, spend30dMicro: 0, lastUsedAt: '2030-01-02T03:04:05.000Z' },
    ]);
  });

  describe('changing one', () => {
    const change = (id: string, body: object) => owner.patch(`/v1/account/keys/${id}`, body);

    it('renames it, disables it and enables it again', async () => {
      const { id } = await owner.makeKey();

      expect((await change(id, { name: 'other' })).body).toMatchObject({ name: 'other', state: 'active' });
      expect((await change(id, { enabled: false })).body).toMatchObject({
        enabled: false,
        state: 'disabled',
      });
      expect((await change(id, { enabled: true })).body).toMatchObject({ enabled: true, state: 'active' });
      expect((await change(id, {})).body).toMatchObject({ name: 'other', state: 'active' });
    });

    it('moves its expiry, counted from now, and takes it away', async () => {
      const { id } = await owner.makeKey({ expiresInDays: 30 });

      const later = await change(id, { expiresInDays: 365 });
      const never = await change(id, { expiresInDays: null });

      expect(Date.parse(later.body.expiresAt as string) - Date.now()).toBeGreaterThan(364 * DAY_MS);
      expect(never.body.expiresAt).toBeNull();
    });

    it('sets its spend limit and takes it away', async () => {
      const { id } = await owner.makeKey();

      expect((await change(id, { spendLimitMicro: 9 })).body.spendLimitMicro).toBe(9);
      expect((await change(id, { name: 'x' })).body.spendLimitMicro).toBe(9);
      expect((await change(id, { spendLimitMicro: null })).body.spendLimitMicro).toBeNull();
    });

    it('cannot revive it once it has expired', async () => {
      const { id } = await owner.makeKey({ expiresInDays: 30 });
      await change(id, { enabled: false });
      await expire(id);

      for (const body of [{ expiresInDays: 90 }, { expiresInDays: null }, { enabled: true }]) {
        expectEnvelope(await change(id, body), {
          status: 409,
          code: 'KEY_EXPIRED',
          param: Object.keys(body)[0]!,
        });
      }
      expect((await change(id, { name: 'old one', enabled: false })).body).toMatchObject({
        name: 'old one',
        state: 'expired',
      });
    });

    it.each([
      ['a name that is empty', { name: '' }, 'name'],
      ['a word for enabled', { enabled: 'yes' }, 'enabled'],
      ['another expiry', { expiresInDays: 60 }, 'expiresInDays'],
      ['a limit below 0', { spendLimitMicro: -1 }, 'spendLimitMicro'],
    ])('refuses %s', async (_, body, param) => {
      const { id } = await owner.makeKey();

      expectEnvelope(await change(id, body), { status: 400, code: 'INVALID_REQUEST', param });
    });
  });

  it('are gone at once and for good when deleted', async () => {
    const { id } = await owner.makeKey();

    expect((await owner.delete(`/v1/account/keys/${id}`)).body).toEqual({ ok: true });

    expect(await listed()).toEqual([]);
    expectEnvelope(await owner.delete(`/v1/account/keys/${id}`), { status: 404, code: 'NOT_FOUND' });
    expectEnvelope(await owner.patch(`/v1/account/keys/${id}`, { enabled: true }), {
      status: 404,
      code: 'NOT_FOUND',
    });
  });

  it('are nobody else’s: a stranger finds nothing under their ids', async () => {
    const { id } = await owner.makeKey();
    const stranger = await Browser.registered(world);

    for (const answer of [
      await stranger.patch(`/v1/account/keys/${id}`, { enabled: false }),
      await stranger.delete(`/v1/account/keys/${id}`),
      await stranger.patch('/v1/account/keys/key_unknown', { enabled: false }),
    ]) {
      expectEnvelope(answer, { status: 404, code: 'NOT_FOUND' });
    }
    expect(await listed()).toMatchObject([{ id, enabled: true }]);
  });

  it('are managed by a signed-in person only, never with a key', async () => {
    const { key } = await owner.makeKey();

    const credentials: Record<string, string>[] = [
      { 'x-api-key': key },
      { authorization: `Bearer ${key}` },
      {},
    ];
    for (const headers of credentials) {
      expectEnvelope(await world.get('/v1/account/keys', headers), {
        status: 401,
        code: 'MISSING_CREDENTIALS',
      });
      expectEnvelope(await world.post('/v1/account/keys', { name: 'n', expiresInDays: null }, headers), {
        status: 401,
        code: 'MISSING_CREDENTIALS',
      });
    }
  });
});
