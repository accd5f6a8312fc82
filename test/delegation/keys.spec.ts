import { AccountFunds } from '#money/billing/ledger/account-funds';
import { creditsAccount, walletAccount } from '#money/billing/ledger/account-id';
import { micro } from '#kernel/money';
import { parseWallet } from '#kernel/wallet-address';
import { Browser } from '../support/browser';
import { WalletCaller } from '../support/caller';
import { expectEnvelope } from '../support/envelope';
import { expectEventually } from '../support/eventually';
import { World } from '../support/world';

const ORIGIN = 'http://127.0.0.1:3999';
const KEYS = '/v1/agent/keys';
/** The cost of a chat call below. */
const PRICE = 2_000;
const HOUR = 3_600;

interface Handed {
  readonly id: string;
  readonly key: string;
}

describe('keys that hand on money', () => {
  let world: World;
  let owner: Browser;
  let root: Handed;

  beforeAll(async () => {
    world = await World.start();
  });

  beforeEach(async () => {
    owner = await Browser.registered(world);
    await give(100_000);
    root = await owner.makeKey();
  });

  afterEach(() => world.expectBooksToBalance());
  afterAll(() => world.stop());

  const funds = () => world.app.get(AccountFunds, { strict: false });
  const give = (amount: number) =>
    funds().topUp(creditsAccount(owner.id), micro(BigInt(amount)), `test:${owner.id}`);
  const by = ({ key }: Handed) => ({ 'x-api-key': key });
  const hand = (headers: Record<string, string>, more: object = {}) =>
    world.post(KEYS, { limitMicro: 10_000, expiresInSeconds: HOUR, ...more }, headers);
  const handed = async (from: Handed, more: object = {}): Promise<Handed> => {
    const answer = await hand(by(from), more);
    expect(answer.status).toBe(201);
    return answer.body as Handed;
  };
  const chat = (from: Handed, more: object = {}, headers: Record<string, string> = {}) =>
    world.post(
      '/v1/agent/chat',
      { messages: [{ role: 'user', content: 'hello' }], max_tokens: 16, ...more },
      { ...by(from), ...headers },
    );
  const remove = (url: string, headers: Record<string, string>) =>
    world.send({ method: 'DELETE', url, headers });
  const listed = async (from: Handed) =>
    (await world.get(KEYS, by(from))).body.keys as Record<string, unknown>[];
  const account = async () => (await owner.get('/v1/account')).body as Record<string, number>;

  it('are made by a key, a session and a wallet, and spend what is theirs', async () => {
    const made = await hand(by(root), { name: 'helper', scopes: { routes: ['chat', 'read'] } });

    expect(made.status).toBe(201);
    expect(made.headers['cache-control']).toBe('no-store');
    expect(made.body).toEqual({
      id: expect.stringMatching(/^key_/),
      name: 'helper',
      key: expect.stringMatching(/^lp_[A-Za-z0-9]{64}$/),
      prefix: (made.body.key as string).slice(0, 11),
      limitMicro: 10_000,
      spentMicro: 0,
      expiresAt: expect.any(String),
      depth: 1,
      scopes: { routes: ['chat', 'read'] },
      reserve: false,
    });
    expect(Date.parse(made.body.expiresAt as string) - Date.now()).toBeLessThan(HOUR * 1_000 + 5_000);
    const called = await chat(made.body);
    expect(called).toMatchObject({ status: 200, headers: { 'x-charge-state': 'charged' } });
    // A key with its own reserve does not see the rest of the account's money.
    expect(called.headers['x-balance-micro']).toBeUndefined();
    expect(await account()).toMatchObject({ balanceMicro: 100_000 - PRICE });

    const bySession = await owner.post(KEYS, { limitMicro: 5_000, expiresInSeconds: 60 });
    expect(bySession).toMatchObject({ status: 201, body: { depth: 1 } });
    expect(await chat(bySession.body)).toMatchObject({ status: 200 });
  });

  it('of a wallet pay as that wallet: its rail, its tier, its requirements', async () => {
    const wallet = await new WalletCaller().fund(world, 3_000n);
    const made = await hand({
      'sign-in-with-x': await wallet.signIn(world, { resource: `${ORIGIN}${KEYS}` }),
    });

    expect(made.status).toBe(201);
    expect(await chat(made.body, { dryRun: true })).toMatchObject({ status: 200, body: { rail: 'wallet' } });
    expect(await chat(made.body)).toMatchObject({ status: 200, headers: { 'x-charge-state': 'charged' } });
    expect(await funds().balance(walletAccount(parseWallet(wallet.wallet)!))).toBe(1_000n);
    expectEnvelope(await chat(made.body, { payer: new WalletCaller().wallet }), {
      status: 400,
      code: 'INVALID_REQUEST',
      param: 'payer',
    });
    const short = await chat(made.body);
    expect(short).toMatchObject({ status: 402, headers: { 'payment-required': expect.any(String) } });
    const seen = await world.get('/v1/agent/balance', by(made.body));
    expect(seen).toMatchObject({ status: 200, body: { balanceMicro: 1_000, recent: [] } });
    const listing = { 'sign-in-with-x': await wallet.signIn(world) };
    expect((await world.get(KEYS, listing)).body.keys).toMatchObject([
      { id: made.body.id, spentMicro: PRICE },
    ]);
  });

  it('of a wallet take a sign-in that names this address, once', async () => {
    const wallet = await new WalletCaller().fund(world, 3_000n);
    expectEnvelope(await hand({ 'sign-in-with-x': await wallet.signIn(world) }), {
      status: 401,
      code: 'INVALID_SIGN_IN',
      param: 'Sign-In-With-X',
    });

    const header = { 'sign-in-with-x': await wallet.signIn(world, { resource: `${ORIGIN}${KEYS}` }) };
    const marked = { ...header, 'idempotency-key': 'the first key' };
    const first = await hand(marked);
    expect(first.status).toBe(201);
    expectEnvelope(await hand(header), { status: 401, code: 'INVALID_SIGN_IN', param: 'Sign-In-With-X' });
    const again = await hand(marked);
    expect(again).toMatchObject({ status: 201, headers: { 'idempotent-replayed': 'true' } });
    expect(again.body.key).toBe(first.body.key);
  });

  it('count against every key above them', async () => {
    const parent = await handed(root, { limitMicro: 5_000 });
    const child = await handed(parent, { limitMicro: 50_000 });

    expect((await chat(child)).status).toBe(200);
    expect((await chat(parent)).status).toBe(200);
    expectEnvelope(await chat(child), { status: 402, code: 'KEY_SPEND_LIMIT' });
    expectEnvelope(await chat(parent), { status: 402, code: 'KEY_SPEND_LIMIT' });
    expectEnvelope(await chat(child, { dryRun: true }), { status: 402, code: 'KEY_SPEND_LIMIT' });
    expect((await chat(root)).status).toBe(200);
    expect(await listed(root)).toMatchObject([
      { id: child.id, depth: 2, parentId: parent.id, spentMicro: PRICE, requestCount: 1 },
      { id: parent.id, depth: 1, parentId: root.id, spentMicro: 2 * PRICE, requestCount: 2 },
    ]);
    expect(await listed(parent)).toMatchObject([{ id: child.id }]);
    expect((await world.get('/v1/agent/balance', by(child))).body).toMatchObject({ balanceMicro: 1_000 });
  });

  it('hand on three times, no longer than they live, and no more than they may', async () => {
    const first = await handed(root, {
      scopes: { routes: ['chat', 'keys'], models: ['lumen-chat'], priceMicroMax: 9_000 },
    });
    const second = await handed(first, { expiresInSeconds: 600 });
    const third = await handed(second, { expiresInSeconds: 60 });
    expectEnvelope(await hand(by(third), { expiresInSeconds: 60 }), { status: 400, code: 'INVALID_REQUEST' });

    expectEnvelope(await hand(by(second), { expiresInSeconds: 700 }), {
      status: 400,
      code: 'INVALID_REQUEST',
      param: 'expiresInSeconds',
    });
    for (const expiresInDays of [30, null])
      expectEnvelope(await owner.patch(`/v1/account/keys/${second.id}`, { expiresInDays }), {
        status: 400,
        code: 'INVALID_REQUEST',
        param: 'expiresInDays',
      });
    const widened: [object, string][] = [
      [{ routes: ['chat', 'image'] }, 'scopes.routes'],
      [{ models: ['lumen-chat', 'lumen-lite'] }, 'scopes.models'],
      [{ priceMicroMax: 9_001 }, 'scopes.priceMicroMax'],
      [{ ips: ['10.0.0.0/33'] }, 'scopes.ips[0]'],
    ];
    for (const [scopes, param] of widened)
      expectEnvelope(await hand(by(second), { scopes, expiresInSeconds: 60 }), {
        status: 400,
        code: 'INVALID_REQUEST',
        param,
      });
    expectEnvelope(await hand(by(root), { limitMicro: 0 }), {
      status: 400,
      code: 'INVALID_REQUEST',
      param: 'limitMicro',
    });
    expectEnvelope(await hand(by(root), { expiresInSeconds: 59 }), {
      status: 400,
      code: 'INVALID_REQUEST',
      param: 'expiresInSeconds',
    });
    // Omitted fields are inherited.
    expectEnvelope(await world.get('/v1/agent/jobs', by(third)), {
      status: 403,
      code: 'KEY_SCOPE',
      param: 'scopes.routes',
    });
  });

  it('answer with the word of what has ended above them', async () => {
    const parent = await handed(root);
    const child = await handed(parent, { expiresInSeconds: 600 });
    const codeNow = async () => {
      const answer = await chat(child);
      return answer.status === 200 ? 'ok' : (answer.body.error.code as string);
    };

    await owner.patch(`/v1/account/keys/${parent.id}`, { enabled: false });
    await expectEventually(async () => (await codeNow()) === 'KEY_DISABLED');
    await owner.patch(`/v1/account/keys/${parent.id}`, { enabled: true });
    await expectEventually(async () => (await codeNow()) === 'ok');
    await world.db.rows(`update api_key set expires_at = now() where id = $1`, [root.id]);
    await expectEventually(async () => (await codeNow()) === 'KEY_EXPIRED');
    await world.db.rows(`update api_key set expires_at = null where id = $1`, [root.id]);
    expect(await remove(`${KEYS}/${parent.id}`, by(root))).toMatchObject({ status: 200, body: { ok: true } });
    await expectEventually(async () => (await codeNow()) === 'KEY_NOT_FOUND');
    expect(await listed(root)).toEqual([]);
    expectEnvelope(await remove(`${KEYS}/${parent.id}`, by(root)), { status: 404, code: 'NOT_FOUND' });
  });

  it('see only what is their own', async () => {
    const [one, other] = [await handed(root, { limitMicro: 90_000 }), await handed(root)];
    const draw = (from: Handed) => world.post('/v1/agent/generate', { prompt: 'a lamp' }, by(from));
    const [mine, theirs] = [await draw(root), await draw(one)];
    expect([mine.status, theirs.status]).toEqual([200, 200]);
    const jobsOf = async (key: Handed) =>
      (await world.get('/v1/agent/jobs', by(key))).body.jobs.map(
        ({ chargeId }: { chargeId: string }) => chargeId,
      );

    const [own] = await jobsOf(one);
    expect(own).toBe(theirs.headers['x-charge-id']);
    expect(await jobsOf(other)).toEqual([]);
    expect(await jobsOf(root)).toHaveLength(2);
    const [job] = (await world.get('/v1/agent/jobs', by(one))).body.jobs as { id: string }[];
    expectEnvelope(await world.post(`/v1/agent/jobs/${job?.id}/cancel`, {}, by(other)), {
      status: 404,
      code: 'NOT_FOUND',
    });
    // The library belongs to the owner, so a key needs its scope.
    expectEnvelope(await world.get('/v1/agent/references', by(one)), {
      status: 403,
      code: 'KEY_SCOPE',
      param: 'scopes.routes',
    });
    expectEnvelope(await world.get('/v1/agent/webhooks', by(one)), {
      status: 403,
      code: 'KEY_SCOPE',
      param: 'scopes.routes',
    });
    const librarian = await handed(root, { scopes: { routes: ['references'] } });
    expect((await world.get('/v1/agent/references', by(librarian))).status).toBe(200);
    const eventsOf = async (key: Handed) =>
      (await world.get('/v1/agent/events?types=charge.charged', by(key))).body.events as object[];
    await expectEventually(async () => (await eventsOf(root)).length === 2);
    expect(await eventsOf(one)).toMatchObject([{ data: { id: own } }]);
    expect(await eventsOf(other)).toEqual([]);
    const page = (await world.get('/v1/agent/events?types=charge.charged&limit=1', by(one))).body;
    expect(page.events).toMatchObject([{ data: { id: own } }]);
    const rest = await world.get(`/v1/agent/events?after=${page.nextCursor}&types=charge.charged`, by(one));
    expect(rest.body.events).toEqual([]);
  });

  describe('with a reserve', () => {
    it('have it for themselves, and return the rest', async () => {
      const child = await handed(root, { limitMicro: 7_000, reserve: true });
      expect(await account()).toMatchObject({ balanceMicro: 93_000, reservedMicro: 7_000 });
      expect(await listed(root)).toMatchObject([{ reserve: true, reserveLeftMicro: 7_000 }]);

      expect((await chat(child)).status).toBe(200);
      expect(await account()).toMatchObject({ balanceMicro: 93_000, reservedMicro: 5_000 });
      expect((await chat(child)).status).toBe(200);
      expect((await chat(child)).status).toBe(200);
      expectEnvelope(await chat(child), { status: 402, code: 'KEY_SPEND_LIMIT' });
      expect((await world.get('/v1/agent/balance', by(child))).body).toMatchObject({ balanceMicro: 1_000 });
      await world.expectBooksToBalance();

      await remove(`${KEYS}/${child.id}`, by(root));
      expect(await account()).toMatchObject({ balanceMicro: 94_000, reservedMicro: 0 });
    });

    it('count once above, and take their own out of that', async () => {
      const parent = await handed(root, { limitMicro: 10_000, reserve: true });
      const child = await handed(parent, { limitMicro: 6_000, reserve: true });
      const grandchild = await handed(child, { limitMicro: 50_000 });
      const more = await hand(by(parent), { limitMicro: 4_001, reserve: true });
      expectEnvelope(more, { status: 402, code: 'INSUFFICIENT_FUNDS' });
      expect(more.body.error.message).toBe(
        "$0.004001 can't be reserved: the balance is $0.004000. Lower the limit, or leave out reserve.",
      );
      expect(await account()).toMatchObject({ reservedMicro: 10_000 });

      expect((await chat(grandchild)).status).toBe(200);
      expect((await chat(parent)).status).toBe(200);
      await world.expectBooksToBalance();
      expect(await listed(root)).toMatchObject([
        { id: grandchild.id, spentMicro: PRICE },
        { id: child.id, spentMicro: PRICE, reserveLeftMicro: 4_000 },
        { id: parent.id, spentMicro: 8_000, reserveLeftMicro: 2_000 },
      ]);

      await remove(`${KEYS}/${child.id}`, by(parent));
      expect(await listed(root)).toMatchObject([
        { id: parent.id, spentMicro: 4_000, reserveLeftMicro: 6_000 },
      ]);
      await owner.delete(`/v1/account/keys/${parent.id}`);
      expect(await account()).toMatchObject({ balanceMicro: 96_000, reservedMicro: 0 });
    });

    it('are refused when the money, or a limit above, does not cover them, and can be asked for again', async () => {
      const mark = { 'idempotency-key': 'reserve for a helper' };
      expectEnvelope(await hand({ ...by(root), ...mark }, { limitMicro: 100_001, reserve: true }), {
        status: 402,
        code: 'INSUFFICIENT_FUNDS',
      });
      const parent = await handed(root, { limitMicro: 3_000 });
      const above = await hand(by(parent), { limitMicro: 3_001, reserve: true });
      expectEnvelope(above, { status: 402, code: 'KEY_SPEND_LIMIT' });
      expect(above.body.error.message).toBe(
        "$0.003001 can't be reserved: that is more than a key above it, or a limited key of yours, has left of its limit. " +
          'Lower the limit, or leave out reserve.',
      );
      expect(await listed(root)).toHaveLength(1);
      expect(await account()).toMatchObject({ balanceMicro: 100_000, reservedMicro: 0 });

      await funds().topUp(creditsAccount(owner.id), micro(1n), `more:${owner.id}`);
      const again = await hand({ ...by(root), ...mark }, { limitMicro: 100_001, reserve: true });
      expect(again.status).toBe(201);
      const twice = await hand({ ...by(root), ...mark }, { limitMicro: 100_001, reserve: true });
      expect(twice.body.key).toBe(again.body.key);
      expect(await account()).toMatchObject({ balanceMicro: 0, reservedMicro: 100_001 });
    });
  });

  describe('with scopes', () => {
    it.each([
      [{ routes: ['image'] }, 'routes', 'it works for image only, not for chat'],
      [{ models: ['lumen-lite'] }, 'models', 'it works for lumen-lite only, not for'],
      [{ priceMicroMax: 1_999 }, 'priceMicroMax', 'may cost 1999 micro-USD at most, and this one costs 2000'],
      [{ ips: ['203.0.113.0/24'] }, 'ips', 'does not work from this address'],
    ])('are refused what %j leaves out, before anything is held', async (scopes, scope, reason) => {
      const key = await owner.makeKey({ scopes });

      const refused = await chat(key);

      const param = `scopes.${scope}`;
      expectEnvelope(refused, { status: 403, code: 'KEY_SCOPE', type: 'permission_error', param });
      expect(refused.body.error.message).toContain(reason);
      expect(refused.headers['x-charge-state']).toBe('none');
    });

    it('make what their routes name, whatever the model is called', async () => {
      await funds().topUp(creditsAccount(owner.id), micro(10_000_000n), `films:${owner.id}`);
      const [images, films] = [
        await owner.makeKey({ scopes: { routes: ['image'] } }),
        await owner.makeKey({ scopes: { routes: ['video'] } }),
      ];
      const generate = (key: Handed, more: object) =>
        world.post('/v1/agent/generate', { prompt: 'a fox', ...more }, by(key));

      const film = { duration: 4 };
      const param = 'scopes.routes';
      expectEnvelope(await generate(images, film), { status: 403, code: 'KEY_SCOPE', param });
      expectEnvelope(await generate(films, {}), { status: 403, code: 'KEY_SCOPE', param });
      expectEnvelope(await generate(images, { ...film, dryRun: true }), {
        status: 403,
        code: 'KEY_SCOPE',
        param,
      });
      expect((await generate(images, { dryRun: true })).status).toBe(200);
      expect((await generate(films, { ...film, dryRun: true })).status).toBe(200);
    });

    it.each([
      [{ scopes: { route: ['chat'] } }, 'scopes.route'],
      [{ scope: { routes: ['chat'] } }, 'scope'],
      [{ reserved: true }, 'reserved'],
      [{ scopes: { models: ['lumen-chta'] } }, 'scopes.models[0]'],
    ])('are not handed on with %j', async (fields, param) => {
      expectEnvelope(await hand(by(root), fields), { status: 400, code: 'INVALID_REQUEST', param });
      expect(await listed(root)).toEqual([]);
    });

    it('are changed by their owner, and counted by the minute', async () => {
      const key = await owner.makeKey({ scopes: { perMinute: 2, ips: ['127.0.0.0/8'] } });
      expect([(await chat(key)).status, (await chat(key)).status]).toEqual([200, 200]);
      expectEnvelope(await chat(key), { status: 429, code: 'RATE_LIMITED' });

      const changed = await owner.patch(`/v1/account/keys/${key.id}`, { scopes: { routes: ['read'] } });
      expect(changed.body.scopes).toEqual({ routes: ['read'] });
      await expectEventually(async () => (await chat(key)).status === 403);
      await owner.patch(`/v1/account/keys/${key.id}`, { scopes: null });
      await expectEventually(async () => (await chat(key)).status === 200);
    });
  });

  it('keep to limits of a day, a month and a life', async () => {
    for (const limit of ['dayMicro', 'monthMicro', 'totalMicro']) {
      const key = await owner.makeKey({ spendLimits: { [limit]: 3_000 } });
      expect((await chat(key)).status).toBe(200);
      expectEnvelope(await chat(key), { status: 402, code: 'KEY_SPEND_LIMIT' });
      await world.db.rows(`update key_spend set day = day - 40 where key_id = $1`, [key.id]);
      expect((await chat(key)).status).toBe(limit === 'totalMicro' ? 402 : 200);
      const raised = await owner.patch(`/v1/account/keys/${key.id}`, { spendLimits: { [limit]: 90_000 } });
      expect(raised.body.spendLimits).toEqual({ [limit]: 90_000 });
      expect((await chat(key)).status).toBe(200);
    }
  });

  describe('that get a new secret', () => {
    it('work with both until the overlap ends, and say which is used', async () => {
      const rotated = await owner.post(`/v1/account/keys/${root.id}/rotate`, { overlapSeconds: 600 });
      expect(rotated).toMatchObject({ status: 200, body: { id: root.id } });
      expect(rotated.body.key).not.toBe(root.key);

      expect((await chat(root)).status).toBe(200);
      const previous = async () => {
        const { keys } = (await owner.get('/v1/account/keys')).body as { keys: { previousSecret: object }[] };
        return keys[0]?.previousSecret as Record<string, string | null>;
      };
      await expectEventually(async () => (await previous())['lastUsedAt'] !== null);
      expect(await previous()).toMatchObject({ worksUntil: expect.any(String), newLastUsedAt: null });
      expect((await chat(rotated.body)).status).toBe(200);
      await world.db.rows('update api_key set previous_until = now() where id = $1', [root.id]);
      await expectEventually(async () => (await chat(root)).status === 401);
      expect((await chat(rotated.body)).status).toBe(200);
    });

    it('without an overlap end what they handed on', async () => {
      const child = await handed(root, { limitMicro: 4_000, reserve: true });

      const rotated = await owner.post(`/v1/account/keys/${root.id}/rotate`, { overlapSeconds: 0 });

      await expectEventually(async () => (await chat(root)).status === 401);
      await expectEventually(async () => (await chat(child)).status === 401);
      expect((await chat(rotated.body)).status).toBe(200);
      expect(await account()).toMatchObject({ reservedMicro: 0 });
    });
  });
});
