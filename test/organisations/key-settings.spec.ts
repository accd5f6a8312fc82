import { AccountFunds } from '#money/billing/ledger/account-funds';
import { creditsAccount } from '#money/billing/ledger/account-id';
import { micro } from '#kernel/money';
import { Browser } from '../support/browser';
import { type Answer, World } from '../support/world';

describe('what an admin has set on a key', () => {
  let world: World;
  let ann: Browser;
  let dev: Browser;
  let admin: Browser;

  beforeAll(async () => {
    world = await World.start();
  });

  beforeEach(async () => {
    ann = await Browser.registered(world);
    await ann.founds();
    dev = await ann.colleague('developer');
    admin = await ann.colleague('admin');
  });

  afterAll(() => world.stop());

  const url = (id: string) => `/v1/account/keys/${id}`;
  const codeOf = ({ status, body }: Answer) => `${status} ${body.error?.code ?? ''}`.trim();

  const SETTINGS = [
    ['its limit of 30 days', { spendLimitMicro: 1_000 }, { spendLimitMicro: null }],
    ['its limits', { spendLimits: { dayMicro: 1_000 } }, { spendLimits: { dayMicro: 2_000 } }],
    ['its limits, which null takes away', { spendLimits: { totalMicro: 1_000 } }, { spendLimits: null }],
    ['its scopes', { scopes: { routes: ['chat'] } }, { scopes: null }],
    ['its scopes, for others', { scopes: { routes: ['chat'] } }, { scopes: { routes: ['image'] } }],
    ['its end', { expiresInDays: 30 }, { expiresInDays: null }],
    ['that it is disabled', { enabled: false }, { enabled: true }],
  ] as const;

  it.each(SETTINGS)('%s is not undone by the developer whose key it is', async (_, set, undo) => {
    for (const lead of [ann, admin]) {
      const { id } = await dev.makeKey();
      expect(codeOf(await lead.patch(url(id), set))).toBe('200');
      const before = (await ann.get('/v1/account/keys')).body.keys[0] as object;

      expect(codeOf(await dev.patch(url(id), undo))).toBe('403 ROLE_REQUIRED');
      expect(codeOf(await dev.patch(url(id), { name: 'renamed', ...undo }))).toBe('403 ROLE_REQUIRED');

      expect((await ann.get('/v1/account/keys')).body.keys[0]).toEqual(before);
      expect(codeOf(await dev.patch(url(id), { name: 'renamed' }))).toBe('200');
      expect(codeOf(await ann.patch(url(id), undo))).toBe('200');
    }
  });

  it.each(SETTINGS)('%s is the developer’s own where nobody above has set it', async (_, set, undo) => {
    const { id } = await dev.makeKey();
    expect(codeOf(await dev.patch(url(id), set))).toBe('200');
    expect(codeOf(await dev.patch(url(id), undo))).toBe('200');
  });

  it('can be made stricter by disabling the key, and a disabled key stays theirs to delete', async () => {
    const { id } = await dev.makeKey();
    await admin.patch(url(id), { enabled: true, spendLimitMicro: 1_000 });

    expect(codeOf(await dev.patch(url(id), { enabled: false }))).toBe('200');
    expect(codeOf(await dev.patch(url(id), { enabled: true }))).toBe('200');
    await admin.patch(url(id), { enabled: false });
    expect(codeOf(await dev.patch(url(id), { enabled: false }))).toBe('200');
    expect(codeOf(await dev.patch(url(id), { enabled: true }))).toBe('403 ROLE_REQUIRED');
    expect(codeOf(await dev.delete(url(id)))).toBe('200');
  });

  it('stays on keys of an admin who becomes a developer', async () => {
    const { id } = await admin.makeKey({ spendLimitMicro: 1_000, scopes: { routes: ['chat'] } });
    await ann.patch(`/v1/account/organisations/${ann.organisation}/members/${admin.id}`, {
      role: 'developer',
    });

    expect(codeOf(await admin.patch(url(id), { spendLimitMicro: null }))).toBe('403 ROLE_REQUIRED');
    expect(codeOf(await admin.patch(url(id), { scopes: null }))).toBe('403 ROLE_REQUIRED');
    expect(codeOf(await admin.patch(url(id), { expiresInDays: 30 }))).toBe('200');
  });

  it('holds for a change that comes at the same moment', async () => {
    for (let round = 0; round < 5; round += 1) {
      const { id } = await dev.makeKey({ spendLimitMicro: 5_000 });
      await Promise.all([
        ...[1, 2, 3].map(() => dev.patch(url(id), { spendLimitMicro: null })),
        admin.patch(url(id), { spendLimitMicro: 1_000 }),
        ...[1, 2, 3].map(() => dev.patch(url(id), { spendLimitMicro: null })),
      ]);
      const keys = (await ann.get('/v1/account/keys')).body.keys as { id: string; spendLimitMicro: number }[];
      expect(keys.find((key) => key.id === id)?.spendLimitMicro).toBe(1_000);
    }
  });

  describe('binds the next keys of the developer', () => {
    const CHAT = { messages: [{ role: 'user', content: 'a lamp' }] };

    const spend = async (key: string): Promise<string> =>
      codeOf(await world.post('/v1/agent/chat', CHAT, { 'x-api-key': key }));

    const scopesOf = async (id: string): Promise<unknown> => {
      const keys = (await ann.get('/v1/account/keys')).body.keys as { id: string; scopes: unknown }[];
      return keys.find((key) => key.id === id)?.scopes;
    };

    beforeEach(async () => {
      await world.app
        .get(AccountFunds, { strict: false })
        .topUp(creditsAccount(ann.organisation!), micro(10_000_000n), `test:${ann.organisation}`);
    });
    afterEach(() => world.expectBooksToBalance());

    it.each([
      ['the limit of 30 days', { spendLimitMicro: 1 }],
      ['the limits', { spendLimits: { totalMicro: 1 } }],
    ])('with %s, also after the limited key is deleted', async (_, limit) => {
      const before = await dev.makeKey();
      expect(await spend(before.key)).toBe('200');
      await admin.patch(url(before.id), limit);

      const next = await dev.makeKey();
      expect(await spend(next.key)).toBe('402 KEY_SPEND_LIMIT');
      await dev.delete(url(before.id));
      const last = await dev.makeKey();
      expect(await spend(last.key)).toBe('402 KEY_SPEND_LIMIT');

      expect(await spend((await admin.makeKey()).key)).toBe('200');
    });

    it('until the limit is lifted', async () => {
      const before = await dev.makeKey();
      await admin.patch(url(before.id), { spendLimitMicro: 1 });
      const next = await dev.makeKey();
      await admin.patch(url(before.id), { spendLimitMicro: null });
      expect(await spend(next.key)).toBe('200');
    });

    it('with the scopes', async () => {
      const before = await dev.makeKey();
      await admin.patch(url(before.id), { scopes: { routes: ['image', 'read'] } });

      const next = await dev.makeKey();
      expect(await spend(next.key)).toBe('403 KEY_SCOPE');
      expect(codeOf(await dev.patch(url(next.id), { scopes: null }))).toBe('403 ROLE_REQUIRED');
      const wider = { name: 'agent', expiresInDays: null, scopes: { routes: ['chat'] } };
      expect(codeOf(await dev.post('/v1/account/keys', wider))).toBe('400 INVALID_REQUEST');
      const within = { name: 'agent', expiresInDays: null, scopes: { routes: ['image'] } };
      expect(codeOf(await dev.post('/v1/account/keys', within))).toBe('201');
    });

    it('with the scopes that a new key leaves out', async () => {
      const { id } = await dev.makeKey();
      await admin.patch(url(id), { scopes: { priceMicroMax: 1 } });

      const next = await dev.makeKey({ scopes: { routes: ['chat'] } });

      expect(await spend(next.key)).toBe('403 KEY_SCOPE');
      expect(codeOf(await dev.patch(url(next.id), { scopes: null }))).toBe('403 ROLE_REQUIRED');
    });

    it('with what several limited keys permit in common', async () => {
      for (const routes of [
        ['image', 'read'],
        ['chat', 'read'],
      ]) {
        await admin.patch(url((await dev.makeKey()).id), { scopes: { routes } });
      }

      const { id } = await dev.makeKey();

      expect(await scopesOf(id)).toEqual({ routes: ['read'] });
      await admin.patch(url(id), { scopes: { routes: ['video'] } });
      const refused = await dev.post('/v1/account/keys', { name: 'agent', expiresInDays: null });
      expect(codeOf(refused)).toBe('400 INVALID_REQUEST');
      expect(refused.body.error?.message).toContain('leave nothing');
    });

    describe.each([
      ['a delegated key', {}],
      ['a delegated key with a reserve', { reserve: true }],
    ])('%s by session', (_, more) => {
      const delegate = (scopes?: object) =>
        dev.post('/v1/agent/keys', { limitMicro: 100_000, expiresInSeconds: 3_600, scopes, ...more });

      it('counts against the limits', async () => {
        const before = await dev.makeKey();
        await admin.patch(url(before.id), { spendLimits: { totalMicro: 1 } });

        const made = await delegate();

        // A reserve that can't be held is refused at once.
        if ('reserve' in more) expect(codeOf(made)).toBe('402 KEY_SPEND_LIMIT');
        else expect(await spend(made.body.key as string)).toBe('402 KEY_SPEND_LIMIT');
      });

      it('has the scopes', async () => {
        const before = await dev.makeKey();
        await admin.patch(url(before.id), { scopes: { routes: ['image', 'read'], priceMicroMax: 9 } });

        const { body } = await delegate({ routes: ['image'] });

        expect(body.scopes).toEqual({ routes: ['image'], priceMicroMax: 9 });
        expect(await scopesOf(body.id as string)).toEqual({ routes: ['image'], priceMicroMax: 9 });
        expect(codeOf(await delegate({ routes: ['chat'] }))).toBe('400 INVALID_REQUEST');
        expect(codeOf(await dev.patch(url(body.id as string), { scopes: null }))).toBe('403 ROLE_REQUIRED');
      });
    });

    it.each([
      ['a key', '/v1/account/keys', { name: 'agent', expiresInDays: null }],
      ['a delegated key', '/v1/agent/keys', { limitMicro: 100_000, expiresInSeconds: 3_600 }],
      ['a reserve', '/v1/agent/keys', { limitMicro: 100_000, expiresInSeconds: 3_600, reserve: true }],
    ])('but not a repeated call that has made %s before them', async (_, path, body) => {
      const limited = await dev.makeKey();
      const mark = { 'idempotency-key': `made before ${path}` };
      const make = () => dev.post(path, { ...body, scopes: { routes: ['chat'] } }, mark);
      const first = await make();
      expect(first.status).toBe(201);
      for (const routes of [['chat'], ['image']]) {
        const limits = { spendLimits: { totalMicro: 1 }, scopes: { routes, perMinute: 9 } };
        expect(codeOf(await admin.patch(url(limited.id), limits))).toBe('200');

        const again = await make();

        expect(again.body).toEqual(first.body);
        expect(await scopesOf(again.body.id as string)).toEqual({ routes: ['chat'] });
      }
    });

    it('by limits on a delegated key too', async () => {
      const { body } = await dev.post('/v1/agent/keys', { limitMicro: 100_000, expiresInSeconds: 3_600 });
      await admin.patch(url(body.id as string), { spendLimits: { totalMicro: 1 } });
      await dev.delete(url(body.id as string));

      expect(await spend((await dev.makeKey()).key)).toBe('402 KEY_SPEND_LIMIT');
    });
  });
});
