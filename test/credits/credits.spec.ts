import { AccountFunds } from '#money/billing/ledger/account-funds';
import { creditsAccount } from '#money/billing/ledger/account-id';
import { micro } from '#kernel/money';
import { Browser } from '../support/browser';
import { WalletCaller } from '../support/caller';
import { expectEnvelope } from '../support/envelope';
import { World } from '../support/world';

const ORIGIN = 'http://127.0.0.1:3999';

describe('credits', () => {
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

  let gifts = 0;
  const give = (amount: bigint) =>
    world.app
      .get(AccountFunds, { strict: false })
      .topUp(creditsAccount(owner.id), micro(amount), `test:${(gifts += 1)}`);
  const chat = (headers: Record<string, string>, content = 'hello') =>
    world.post('/v1/agent/chat', { messages: [{ role: 'user', content }], max_tokens: 16 }, headers);

  it('are shown with the account', async () => {
    await give(1_500_000n);

    expect((await owner.get('/v1/account')).body).toEqual({
      id: owner.id,
      email: owner.email,
      proofDue: false,
      organisation: { id: owner.id, name: owner.email, role: 'owner', may: expect.any(Array) },
      balanceMicro: 1_500_000,
      reservedMicro: 0,
      createdAt: expect.any(String),
    });
    expectEnvelope(await world.get('/v1/account'), { status: 401, code: 'MISSING_CREDENTIALS' });
  });

  describe('the balance of a key', () => {
    it('shows what its owner has, the ten newest transactions and where to top up', async () => {
      const { key } = await owner.makeKey();
      for (let n = 1n; n <= 11n; n += 1n) await give(n * 100_000n);
      await chat({ 'x-api-key': key });

      const answer = await world.get('/v1/agent/balance', { authorization: `Bearer ${key}` });

      expect(answer.status).toBe(200);
      expect(answer.headers['cache-control']).toBe('no-store');
      const { recent, ...rest } = answer.body;
      expect(rest).toEqual({
        balanceUsd: 6.598,
        balanceMicro: 6_598_000,
        reservedMicro: 0,
        currency: 'USD',
        topUp: `${ORIGIN}/account/billing`,
      });
      expect(recent).toHaveLength(10);
      expect(recent[0]).toEqual({
        id: expect.any(String),
        kind: 'debit',
        amountMicro: 2_000,
        balanceAfterMicro: 6_598_000,
        chargeId: expect.stringMatching(/^ch_/),
        modelId: expect.any(String),
        createdAt: expect.any(String),
      });
      expect(recent[1]).toMatchObject({ kind: 'top_up', amountMicro: 1_100_000 });
    });

    it('is 0 for an owner who never had money', async () => {
      const { key } = await owner.makeKey();

      expect((await world.get('/v1/agent/balance', { 'x-api-key': key })).body).toMatchObject({
        balanceUsd: 0,
        balanceMicro: 0,
        recent: [],
      });
    });

    it('is for keys only: no wallet, no session, nobody', async () => {
      const wallet = new WalletCaller();
      const others: Record<string, string>[] = [
        {},
        { ...owner.cookie },
        { 'sign-in-with-x': await wallet.signIn(world) },
        { authorization: 'Bearer sk-other' },
      ];

      for (const headers of others) {
        const answer = await world.get('/v1/agent/balance', headers);
        expectEnvelope(answer, { status: 401, code: 'MISSING_CREDENTIALS', type: 'authentication_error' });
        expect(answer.body).toMatchObject({
          manageKeys: `${ORIGIN}/account/keys`,
          signIn: `${ORIGIN}/account/sign-in`,
        });
      }
    });

    it('is not shown to a key in the address', async () => {
      const { key } = await owner.makeKey();

      for (const name of ['api_key', 'apiKey', 'key', 'x-api-key', 'access_token']) {
        const answer = await world.get(`/v1/agent/balance?${name}=${key}`);
        expectEnvelope(answer, { status: 401, code: 'MISSING_CREDENTIALS' });
      }
    });

    it('is refused with the reason to a key that is malformed, unknown, disabled, expired or of a closed account', async () => {
      const { id, key } = await owner.makeKey({ expiresInDays: 30 });
      const ask = (value: string) => world.get('/v1/agent/balance', { 'x-api-key': value });

      expectEnvelope(await ask('lp_short'), { status: 401, code: 'KEY_NOT_FOUND' });
      expectEnvelope(await ask(`lp_${'0'.repeat(64)}`), { status: 401, code: 'KEY_NOT_FOUND' });
      await owner.patch(`/v1/account/keys/${id}`, { enabled: false });
      expectEnvelope(await ask(key), { status: 401, code: 'KEY_DISABLED' });
      await world.db.rows('update api_key set expires_at = now() where id = $1', [id]);
      expectEnvelope(await ask(key), { status: 401, code: 'KEY_EXPIRED' });
      await world.db.rows('update account set banned_at = now() where id = $1', [owner.id]);
      expectEnvelope(await ask(key), { status: 401, code: 'ACCOUNT_BANNED' });
    });
  });

  describe('transactions', () => {
    const page = (query: string) => owner.get(`/v1/account/billing/transactions${query}`);

    it('are read page by page, newest first, none twice and none left out', async () => {
      for (let n = 1n; n <= 7n; n += 1n) await give(n);

      const amounts: number[] = [];
      let cursor: string | null = '';
      for (let pages = 0; cursor !== null; pages += 1) {
        const { body } = await page(`?limit=3${cursor === '' ? '' : `&cursor=${cursor}`}`);
        amounts.push(...body.transactions.map((row: { amountMicro: number }) => row.amountMicro));
        cursor = body.nextCursor as string | null;
        expect(pages).toBeLessThan(4);
        if (pages === 0) await give(100n); // New entries do not move the pages of a reader.
      }

      expect(amounts).toEqual([7, 6, 5, 4, 3, 2, 1]);
    });

    it('are 50 by default', async () => {
      for (let n = 0; n < 51; n += 1) await give(1n);

      const { body } = await page('');

      expect(body.transactions).toHaveLength(50);
      expect(body.nextCursor).not.toBeNull();
    });

    it('can be asked for by kind, page by page', async () => {
      await give(10_000n);
      const { key } = await owner.makeKey();
      await chat({ 'x-api-key': key }, '[[reject]]');
      await give(5n);

      const first = await page('?kind=top_up&limit=1');
      const second = await page(`?kind=top_up&limit=1&cursor=${first.body.nextCursor}`);

      expect(first.body.transactions).toMatchObject([{ kind: 'top_up', amountMicro: 5 }]);
      expect(second.body.transactions).toMatchObject([{ kind: 'top_up', amountMicro: 10_000 }]);
      expect(second.body.nextCursor).toBeNull();
      expect((await page('?kind=refund')).body.transactions).toHaveLength(1);
    });

    it('are available as a file, all of them, the owner’s only', async () => {
      for (let n = 1n; n <= 1_001n; n += 1n) await give(n); // One more than the service reads at a time.
      const other = await Browser.registered(world);

      const { headers, body } = await page('.csv');
      const lines = (body as string).split('\r\n');

      expect(headers['content-type']).toBe('text/csv; charset=utf-8');
      expect(headers['content-disposition']).toBe('attachment; filename="lamppost-transactions.csv"');
      expect(headers['cache-control']).toBe('no-store');
      expect(lines).toHaveLength(1_003); // The file has a heading, and its last line ends with a line break.
      expect(lines[1]).toMatch(/^\d{4}-\d\d-\d\dT[\d:.]+Z,top_up,1001,501501,,,/);
      expect(lines[1_001]).toMatch(/,top_up,1,1,,,/);
      expect((await other.get('/v1/account/billing/transactions.csv')).body.split('\r\n')).toHaveLength(2);
      expect((await page('.csv?kind=debit')).body.split('\r\n')).toHaveLength(2);
    });

    it('distinguish a refund from a debit', async () => {
      await give(10_000n);
      const { key } = await owner.makeKey();

      const answer = await chat({ 'x-api-key': key }, '[[reject]]');

      expect(answer.status).toBe(502);
      expect((await page('')).body.transactions).toMatchObject([
        { kind: 'refund', amountMicro: 2_000, balanceAfterMicro: 10_000 },
        { kind: 'debit', amountMicro: 2_000, balanceAfterMicro: 8_000 },
        { kind: 'top_up', amountMicro: 10_000, balanceAfterMicro: 10_000 },
      ]);
    });

    it.each([
      ['?limit=0', 'limit'],
      ['?limit=201', 'limit'],
      ['?limit=-1', 'limit'],
      ['?limit=ten', 'limit'],
      ['?limit=1.5', 'limit'],
      ['?limit=1&limit=2', 'limit'],
      ['?cursor=abc', 'cursor'],
      ['?cursor=-5', 'cursor'],
      ['?cursor=1&cursor=2', 'cursor'],
      ['?kind=gift', 'kind'],
      ['.csv?kind=gift', 'kind'],
      [`?cursor=${'9'.repeat(41)}`, 'cursor'],
    ])('are refused for %s', async (query, param) => {
      expectEnvelope(await page(query), { status: 400, code: 'INVALID_REQUEST', param });
    });
  });

  describe('usage', () => {
    it('is listed by day, model and key', async () => {
      await give(1_000_000n);
      const [one, two] = [await owner.makeKey(), await owner.makeKey()];
      await chat({ 'x-api-key': one.key });
      await chat({ 'x-api-key': one.key });
      await chat({ 'x-api-key': two.key });
      await chat({ ...owner.cookie, origin: ORIGIN });
      await chat({ 'x-api-key': one.key }, '[[reject]]');
      const today = new Date().toISOString().slice(0, 10);

      const { body } = await owner.get('/v1/account/usage');

      expect(body).toMatchObject({ to: today, spentMicro: 8_000 });
      expect(body.usage).toHaveLength(3);
      const line = (keyId: string | null, calls: number) => ({
        day: today,
        modelId: expect.any(String),
        keyId,
        calls,
        spentMicro: calls * 2_000,
        inputTokens: 0,
        outputTokens: 0,
      });
      expect(body.usage).toEqual(expect.arrayContaining([line(one.id, 2), line(two.id, 1), line(null, 1)]));
      expect((await owner.get('/v1/account/usage?from=2020-01-01&to=2020-01-31')).body).toEqual({
        from: '2020-01-01',
        to: '2020-01-31',
        spentMicro: 0,
        usage: [],
      });
      const stranger = await Browser.registered(world);
      expect((await stranger.get('/v1/account/usage')).body.usage).toEqual([]);
    });

    it.each([
      ['?from=yesterday', 'from'],
      ['?to=2026-02-30', 'to'],
      ['?from=2026-02-02&to=2026-02-01', 'from'],
      ['?from=2020-01-01&from=2021-01-01', 'from'],
    ])('is refused for %s', async (query, param) => {
      expectEnvelope(await owner.get(`/v1/account/usage${query}`), {
        status: 400,
        code: 'INVALID_REQUEST',
        param,
      });
    });
  });

  describe('bought in the sandbox', () => {
    const open = (body: unknown, headers = {}) => owner.post('/v1/account/billing/top-up', body, headers);
    const pathOf = (url: string) => new URL(url).pathname;
    const press = (url: string, headers: Record<string, string> = {}) =>
      world.send({
        method: 'POST',
        url: `${pathOf(url)}/pay`,
        headers: { 'content-type': 'application/x-www-form-urlencoded', origin: ORIGIN, ...headers },
        payload: '',
      });
    const balance = async () => (await owner.get('/v1/account')).body.balanceMicro as number;

    it('are paid with a button, which leads back to billing', async () => {
      const opened = await open({ usd: 10.5 });
      expect(opened).toMatchObject({
        status: 201,
        body: { checkoutUrl: `${ORIGIN}/checkout/sandbox/${opened.body.topUpId}` },
      });
      expect(await balance()).toBe(0);

      const page = await world.get(pathOf(opened.body.checkoutUrl as string));
      const paid = await press(opened.body.checkoutUrl as string);

      expect(page.status).toBe(200);
      expect(page.headers['content-type']).toBe('text/html; charset=utf-8');
      expect(page.headers['content-security-policy']).toMatch(/^default-src 'none'; style-src 'sha256-/);
      expect(page.headers['referrer-policy']).toBe('same-origin');
      expect(page.body).toContain(`action="/checkout/sandbox/${opened.body.topUpId}/pay"`);
      expect(page.body).toContain('Pay $10.50');
      expect(page.body).not.toContain(owner.email);
      expect(paid).toMatchObject({
        status: 303,
        headers: { location: `/account/billing?topUp=${opened.body.topUpId}` },
      });
      expect(await balance()).toBe(10_500_000);
      expect((await world.get(pathOf(opened.body.checkoutUrl as string))).body).toContain('is paid');
    });

    it('are given once, however often the button is pressed', async () => {
      const { body } = await open({ usd: 10 });

      const answers = await Promise.all(Array.from({ length: 12 }, () => press(body.checkoutUrl as string)));

      expect(answers.every(({ status }) => status === 303)).toBe(true);
      expect(await balance()).toBe(10_000_000);
    });

    it('are paid by a client without a form, too', async () => {
      const { body } = await open({ usd: 1 });

      expect(
        (await world.send({ method: 'POST', url: `${pathOf(body.checkoutUrl as string)}/pay` })).status,
      ).toBe(303);
      expect(await balance()).toBe(1_000_000);
    });

    it('are not paid by a button on another site', async () => {
      const { body } = await open({ usd: 10 });

      for (const origin of ['https://evil.example', 'null']) {
        expectEnvelope(await press(body.checkoutUrl as string, { origin }), {
          status: 403,
          code: 'ORIGIN_MISMATCH',
        });
      }
      expect(await balance()).toBe(0);
    });

    it('exist only under ids that were given out', async () => {
      for (const id of ['tu_unknown', '%3Cscript%3E', '..%2f..']) {
        expectEnvelope(await world.get(`/checkout/sandbox/${id}`), { status: 404, code: 'NOT_FOUND' });
        expectEnvelope(await press(`${ORIGIN}/checkout/sandbox/${id}`), { status: 404, code: 'NOT_FOUND' });
      }
    });

    it.each([
      [{}],
      [{ usd: 0.99 }],
      [{ usd: 500.01 }],
      [{ usd: -5 }],
      [{ usd: 1.005 }],
      [{ usd: '10' }],
      [{ usd: null }],
      [{ usd: 1e21 }],
    ])('are refused for %j', async (body) => {
      expectEnvelope(await open(body), { status: 400, code: 'INVALID_REQUEST', param: 'usd' });
    });

    it.each([1, 500, 1.15, 8.7, 19.99])('cost exactly what was asked for: %d', async (usd) => {
      const { body } = await open({ usd });
      await press(body.checkoutUrl as string);

      expect(await balance()).toBe(Math.round(usd * 100) * 10_000);
    });

    it('take nothing else from the body', async () => {
      const stranger = await Browser.registered(world);
      const { body } = await open({
        usd: 1,
        amountMicro: 499_000_000,
        accountId: stranger.id,
        state: 'paid',
        processor: 'stripe',
        reference: 'x',
      });

      expect(await balance()).toBe(0);
      await press(body.checkoutUrl as string);

      expect(await balance()).toBe(1_000_000);
      expect((await stranger.get('/v1/account')).body.balanceMicro).toBe(0);
    });

    it('are one checkout for one mark', async () => {
      const mark = { 'idempotency-key': 'one-top-up' };
      const [one, two] = await Promise.all([open({ usd: 5 }, mark), open({ usd: 5 }, mark)]);

      expect(one.body).toEqual(two.body);
      expectEnvelope(await open({ usd: 6 }, mark), {
        status: 422,
        code: 'IDEMPOTENCY_MISMATCH',
        param: 'Idempotency-Key',
      });
      expectEnvelope(await open({ usd: 5 }, { 'idempotency-key': 'short' }), {
        status: 400,
        code: 'INVALID_REQUEST',
        param: 'Idempotency-Key',
      });
      expect((await open({ usd: 5 })).body.topUpId).not.toBe(one.body.topUpId);
    });

    it('need a signed-in person and our own origin', async () => {
      const { key } = await owner.makeKey();

      expectEnvelope(await world.post('/v1/account/billing/top-up', { usd: 5 }, { 'x-api-key': key }), {
        status: 401,
        code: 'MISSING_CREDENTIALS',
      });
      expectEnvelope(await open({ usd: 5 }, { origin: 'https://evil.example' }), {
        status: 403,
        code: 'ORIGIN_MISMATCH',
      });
    });

    it('know no webhook', async () => {
      expectEnvelope(await world.post('/v1/account/billing/stripe/webhook', {}), {
        status: 404,
        code: 'NOT_FOUND',
      });
    });
  });
});
