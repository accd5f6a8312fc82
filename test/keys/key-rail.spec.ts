import { setTimeout as pause } from 'node:timers/promises';

import { AccountFunds } from '#money/billing/ledger/account-funds';
import { creditsAccount } from '#money/billing/ledger/account-id';
import { micro } from '#kernel/money';
import { Browser } from '../support/browser';
import { WalletCaller } from '../support/caller';
import { expectEnvelope } from '../support/envelope';
import { captureLog } from '../support/log-lines';
import { World } from '../support/world';

const ORIGIN = 'http://127.0.0.1:3999';
/** The cost of the calls below. */
const PRICE = 2_000;

describe('paying with an account', () => {
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

  const give = (amount: number) =>
    world.app
      .get(AccountFunds, { strict: false })
      .topUp(creditsAccount(owner.id), micro(BigInt(amount)), `test:${owner.id}`);
  const chat = (headers: Record<string, string>, more: object = {}, query = '') =>
    world.post(
      `/v1/agent/chat${query}`,
      { messages: [{ role: 'user', content: 'hello' }], max_tokens: 16, ...more },
      headers,
    );
  const balance = async () => (await owner.get('/v1/account')).body.balanceMicro as number;
  const listed = async (id: string) =>
    (await owner.get('/v1/account/keys')).body.keys.find((key: { id: string }) => key.id === id);

  it('works by x-api-key, by Bearer and by the session of our own pages', async () => {
    await give(10_000);
    const { key } = await owner.makeKey();
    const ways: Record<string, string>[] = [
      { 'x-api-key': key },
      { authorization: `Bearer ${key}` },
      { ...owner.cookie, origin: ORIGIN },
    ];

    for (const [n, headers] of ways.entries()) {
      const answer = await chat(headers);
      expect(answer.status).toBe(200);
      expect(answer.headers).toMatchObject({
        'x-charge-state': 'charged',
        'x-charge-micro': String(PRICE),
        'x-balance-micro': String(10_000 - PRICE * (n + 1)),
      });
    }
    expect(await balance()).toBe(10_000 - 3 * PRICE);
  });

  it('costs the list price, whatever payer is named', async () => {
    await give(10_000);
    const { key } = await owner.makeKey();

    const answer = await chat({ 'x-api-key': key }, { payer: new WalletCaller().wallet });

    expect(answer).toMatchObject({ status: 200, headers: { 'x-charge-micro': String(PRICE) } });
  });

  describe('with a bad credential', () => {
    it.each([
      ['a key cut short', (key: string) => ({ 'x-api-key': key.slice(0, -1) }), 'KEY_NOT_FOUND'],
      ['an empty key', () => ({ 'x-api-key': '' }), 'KEY_NOT_FOUND'],
      ['the key of another service', () => ({ 'x-api-key': 'sk-proj-1234' }), 'KEY_NOT_FOUND'],
      ['a Bearer that begins like a key', () => ({ authorization: 'Bearer lp_short' }), 'KEY_NOT_FOUND'],
      ['an unknown key', () => ({ 'x-api-key': `lp_${'q'.repeat(64)}` }), 'KEY_NOT_FOUND'],
      ['a strange Bearer alone', () => ({ authorization: 'Bearer sk-123' }), 'MISSING_CREDENTIALS'],
      [
        'a session that is none',
        () => ({ cookie: 'lamppost_session=x', origin: ORIGIN }),
        'MISSING_CREDENTIALS',
      ],
    ])('is 401 and never a price: %s', async (_, headersOf, code) => {
      await give(10_000);
      const { key } = await owner.makeKey();

      const answer = await chat(headersOf(key) as Record<string, string>);

      expectEnvelope(answer, { status: 401, code, type: 'authentication_error' });
      expect(answer.body).toMatchObject({ signIn: `${ORIGIN}/account/sign-in` });
      expect(answer.headers['payment-required']).toBeUndefined();
      expect(answer.headers['x-charge-state']).toBe('none');
      expect(await balance()).toBe(10_000);
    });

    it('is 401 with the reason for a key that is disabled, expired, deleted or of a closed account', async () => {
      await give(10_000);
      const { id, key } = await owner.makeKey({ expiresInDays: 30 });
      const codeNow = async () => {
        const answer = await chat({ 'x-api-key': key });
        expect(answer.status).toBe(401);
        expect(answer.body).toMatchObject({
          manageKeys: `${ORIGIN}/account/keys`,
          signIn: expect.any(String),
        });
        return answer.body.error.code as string;
      };

      await owner.patch(`/v1/account/keys/${id}`, { enabled: false });
      expect(await codeNow()).toBe('KEY_DISABLED');
      await world.db.rows('update api_key set expires_at = now() where id = $1', [id]);
      expect(await codeNow()).toBe('KEY_EXPIRED');
      await world.db.rows('update account set banned_at = now() where id = $1', [owner.id]);
      expect(await codeNow()).toBe('ACCOUNT_BANNED');
      await world.db.rows('update account set banned_at = null where id = $1', [owner.id]);
      await owner.delete(`/v1/account/keys/${id}`);
      expect(await codeNow()).toBe('KEY_NOT_FOUND');
      expect(await balance()).toBe(10_000);
    });

    it('does not fall through to another credential', async () => {
      await give(10_000);
      const wallet = await new WalletCaller().fund(world, 10_000n);

      const answer = await chat({
        ...owner.cookie,
        origin: ORIGIN,
        'x-api-key': 'lp_broken',
        'sign-in-with-x': await wallet.signIn(world),
      });

      expectEnvelope(answer, { status: 401, code: 'KEY_NOT_FOUND' });
      expect(await balance()).toBe(10_000);
    });
  });

  it('finds no key in the address: that call has no credential', async () => {
    const { key } = await owner.makeKey();

    for (const name of ['key', 'api_key', 'x-api-key']) {
      expectEnvelope(await chat({}, {}, `?${name}=${key}`), { status: 402, code: 'PAYMENT_REQUIRED' });
    }
  });

  it('takes one credential, in one order: the key before the wallet, the wallet before the session', async () => {
    await give(10_000);
    const { key } = await owner.makeKey();
    const wallet = await new WalletCaller().fund(world, 10_000n);
    const signedIn = { ...owner.cookie, origin: ORIGIN, 'sign-in-with-x': await wallet.signIn(world) };

    const byKey = await chat({ ...signedIn, 'x-api-key': key });
    const byWallet = await chat(signedIn);

    expect(byKey.headers['x-balance-micro']).toBe(String(10_000 - PRICE));
    expect(byWallet.status).toBe(200);
    expect(await balance()).toBe(10_000 - PRICE);
  });

  it('ignores a strange Bearer beside a sign-in, but not beside a session', async () => {
    await give(10_000);
    const wallet = await new WalletCaller().fund(world, 10_000n);
    const strange = { authorization: 'Bearer not-needed' };

    expect((await chat({ ...strange, 'sign-in-with-x': await wallet.signIn(world) })).status).toBe(200);
    expectEnvelope(await chat({ ...strange, ...owner.cookie, origin: ORIGIN }), {
      status: 401,
      code: 'MISSING_CREDENTIALS',
    });
  });

  it('refuses a session that another site speaks with, before anything is held', async () => {
    await give(10_000);

    expectEnvelope(await chat(owner.cookie), { status: 403, code: 'ORIGIN_MISMATCH' });
    expectEnvelope(await chat({ ...owner.cookie, origin: 'https://evil.example' }), {
      status: 403,
      code: 'ORIGIN_MISMATCH',
    });
    expect(await balance()).toBe(10_000);
  });

  it('is 402 with a way to top up when the credits do not cover the call', async () => {
    await give(PRICE - 1);
    const { id, key } = await owner.makeKey();

    const answer = await chat({ 'x-api-key': key });

    expectEnvelope(answer, { status: 402, code: 'INSUFFICIENT_FUNDS', type: 'payment_required' });
    expect(answer.body).toMatchObject({ topUp: `${ORIGIN}/account/billing` });
    expect(answer.body.accepts).toBeUndefined();
    expect(answer.headers).toMatchObject({
      'x-charge-state': 'none',
      'x-balance-micro': String(PRICE - 1),
      'x-balance-remaining': '0.001999',
    });
    expect(await balance()).toBe(PRICE - 1);
    expect(await listed(id)).toMatchObject({ requestCount: 0, spend30dMicro: 0 });
  });

  it('counts calls and spending of each key, and subtracts refunds', async () => {
    await give(100_000);
    const [busy, idle] = [await owner.makeKey(), await owner.makeKey()];
    for (let n = 0; n < 3; n += 1) await chat({ 'x-api-key': busy.key });
    await chat({ 'x-api-key': busy.key }, { messages: [{ role: 'user', content: '[[reject]]' }] });
    await chat({ ...owner.cookie, origin: ORIGIN });

    expect(await listed(busy.id)).toMatchObject({ spend30dMicro: 3 * PRICE, lastUsedAt: expect.any(String) });
    expect((await listed(busy.id)).requestCount).toBeGreaterThanOrEqual(3);
    expect(await listed(idle.id)).toMatchObject({ requestCount: 0, spend30dMicro: 0, lastUsedAt: null });
  });

  it('never passes a key’s limit, however many calls race for the last of it', async () => {
    await give(1_000_000);
    const { id, key } = await owner.makeKey({ spendLimitMicro: 3 * PRICE + 1_999 });

    const answers = await Promise.all(Array.from({ length: 20 }, () => chat({ 'x-api-key': key })));

    const paid = answers.filter(({ status }) => status === 200);
    const refused = answers.filter(({ status }) => status !== 200);
    expect(paid).toHaveLength(3);
    for (const answer of refused) {
      expectEnvelope(answer, { status: 402, code: 'KEY_SPEND_LIMIT' });
      expect(answer.body).toMatchObject({ manageKeys: `${ORIGIN}/account/keys` });
    }
    expect(await balance()).toBe(1_000_000 - 3 * PRICE);
    expect(await listed(id)).toMatchObject({ spend30dMicro: 3 * PRICE });

    await owner.patch(`/v1/account/keys/${id}`, { spendLimitMicro: null });
    expect((await chat({ 'x-api-key': key })).status).toBe(200);
  });

  it('stops in the middle of use when the account is closed, and what ran before is paid once', async () => {
    await give(1_000_000);
    const { key } = await owner.makeKey();
    let closed = Infinity;
    const late: number[] = [];
    const use = async () => {
      for (const end = performance.now() + 1_200; performance.now() < end;) {
        const started = performance.now();
        const { status } = await chat({ 'x-api-key': key });
        if (status === 200 && started > closed + 200) late.push(started - closed);
        await pause(2);
      }
    };

    const uses = Array.from({ length: 4 }, use);
    await pause(300);
    await world.db.rows('update account set banned_at = now() where id = $1', [owner.id]);
    closed = performance.now();
    await Promise.all(uses);

    const [row] = await world.db.rows<{ calls: number; balance: string }>(
      `select (select count(*)::int from charge where payer = $1 and state = 'charged') as calls,
         (select balance_micro from ledger_account where id = 'credits:' || $1) as balance`,
      [owner.id],
    );
    expect(late).toEqual([]);
    expect(row?.calls).toBeGreaterThan(0);
    expect(Number(row?.balance)).toBe(1_000_000 - PRICE * (row?.calls ?? 0));
  });

  it('leaves no key and no session in answers or logs', async () => {
    await give(10_000);
    const { lines } = captureLog(world);
    const { key } = await owner.makeKey();
    const answers = [
      await chat({ 'x-api-key': key }),
      await chat({ authorization: `Bearer ${key}` }, { messages: [{ role: 'user', content: '[[reject]]' }] }),
      await chat({ 'x-api-key': `${key}x` }),
      await chat({ ...owner.cookie, origin: ORIGIN }),
    ];

    const seen = [...lines, ...answers.map(({ headers, body }) => JSON.stringify({ headers, body }))].join(
      '\n',
    );

    expect(lines.length).toBeGreaterThan(0);
    expect(seen).not.toContain(key);
    expect(seen).not.toContain(key.slice(11));
    expect(seen).not.toContain(owner.token);
  });
});

describe('the limit of a key', () => {
  let world: World | undefined;

  afterEach(() => world?.stop());

  it('is its own: another key, and the session, have theirs', async () => {
    const limited = (world = await World.start({ RATE_LIMIT_CHAT: '2' }));
    const owner = await Browser.registered(limited);
    await limited.app
      .get(AccountFunds, { strict: false })
      .topUp(creditsAccount(owner.id), micro(1_000_000n), 'test:limits');
    const [one, two] = [await owner.makeKey(), await owner.makeKey()];
    const threeTimes = async (headers: Record<string, string>) => {
      const statuses = [];
      for (let n = 0; n < 3; n += 1) {
        const body = { messages: [{ role: 'user', content: `hello ${n}` }], max_tokens: 16 };
        statuses.push((await limited.post('/v1/agent/chat', body, headers)).status);
      }
      return statuses;
    };

    expect(await threeTimes({ 'x-api-key': one.key })).toEqual([200, 200, 429]);
    expect(await threeTimes({ authorization: `Bearer ${two.key}` })).toEqual([200, 200, 429]);
    expect(await threeTimes({ ...owner.cookie, origin: ORIGIN })).toEqual([200, 200, 429]);
  });
});
