import argon2 from '@node-rs/argon2';

import { Browser } from '../support/browser';
import { captureLog } from '../support/log-lines';
import { expectEnvelope } from '../support/envelope';
import { World } from '../support/world';

const ORIGIN = 'http://127.0.0.1:3999';

/** The cost parameters of a stored hash. */
const costOf = (stored: unknown): string => String(stored).split('$').slice(0, 4).join('$');

describe('an account', () => {
  let world: World;

  beforeAll(async () => {
    world = await World.start();
  });

  afterEach(() => world.expectBooksToBalance());
  afterAll(() => world.stop());

  const register = (email: unknown, password: unknown, more: object = {}) =>
    world.post('/v1/account/register', { email, password, ...more });

  it('is made with an address and a password, and is signed in at once', async () => {
    const browser = new Browser(world);

    const answer = await browser.post('/v1/account/register', {
      email: 'Ada@Example.com',
      password: 'analytical engine',
    });

    expect(answer.status).toBe(201);
    expect(answer.body).toEqual({
      id: expect.stringMatching(/^acc_[A-Za-z0-9_-]{31}$/),
      email: 'ada@example.com',
      createdAt: expect.stringMatching(/^\d{4}-\d\d-\d\dT.*Z$/),
      proofDue: false,
    });
    expect(answer.headers['cache-control']).toBe('no-store');
    expect((await browser.get('/v1/account/keys')).status).toBe(200);
  });

  it('is one per address, however the address is written', async () => {
    const { email, password } = await Browser.registered(world);

    expectEnvelope(await register(email.toUpperCase(), password), {
      status: 409,
      code: 'EMAIL_TAKEN',
      param: 'email',
    });
  });

  it('is made once when two browsers race for one address', async () => {
    const answers = await Promise.all(
      Array.from({ length: 8 }, () => register('race@example.com', 'long enough password')),
    );

    const statuses = answers.map(({ status }) => status);
    expect(statuses.sort((a, b) => a - b)).toEqual([201, ...Array<number>(7).fill(409)]);
  });

  it.each([
    ['no address', undefined, 'long enough', 'email'],
    ['an address without a host', 'ada@', 'long enough', 'email'],
    ['an address without @', 'ada.example.com', 'long enough', 'email'],
    ['an address with a space', 'a da@example.com', 'long enough', 'email'],
    ['an address in letters that look alike', 'аda@example.com', 'long enough', 'email'],
    ['two addresses', ['ada@example.com'], 'long enough', 'email'],
    ['an address of 300 characters', `${'a'.repeat(290)}@example.com`, 'long enough', 'email'],
    ['no password', 'new@example.com', undefined, 'password'],
    ['a password of 9 characters', 'new@example.com', '123456789', 'password'],
    ['a password of 201 characters', 'new@example.com', 'a'.repeat(201), 'password'],
    ['a password that is a number', 'new@example.com', 1234567890, 'password'],
  ])('is not made with %s', async (_, email, password, param) => {
    expectEnvelope(await register(email, password), { status: 400, code: 'INVALID_REQUEST', param });
  });

  it('is not made with a password that attackers try first, and does not change to one', async () => {
    const owner = await Browser.registered(world);
    const refused = { status: 400, code: 'INVALID_REQUEST' };
    expectEnvelope(await register('new@example.com', 'Passw0rd123!'), { ...refused, param: 'password' });
    const change = { current: owner.password, next: owner.email };
    expectEnvelope(await owner.post('/v1/account/password', change), { ...refused, param: 'next' });
    expect((await owner.signIn()).status).toBe(200);
  });

  it('has at most twenty open sessions: a further sign-in ends the oldest', async () => {
    const owner = await Browser.registered(world);
    const first = owner.token;
    const signIn = { email: owner.email, password: owner.password };
    const others = Array.from({ length: 24 }, () => new Browser(world));
    for (const at of [0, 1, 2, 3]) {
      const six = others.slice(at * 6, at * 6 + 6);
      const answers = await Promise.all(six.map((other) => other.post('/v1/account/sign-in', signIn)));
      expect(answers.map(({ status }) => status)).toEqual(Array(6).fill(200));
    }
    const { body } = await others.at(-1)!.get('/v1/account/sessions');
    expect(body.sessions).toHaveLength(20);
    expect((await owner.get('/v1/account')).status).toBe(401);
    expect(owner.token).toBe(first);
    for (const other of others.slice(-6)) expect((await other.get('/v1/account')).status).toBe(200);
  });

  it('lists its open sessions, and ends only its own', async () => {
    const owner = await Browser.registered(world);
    const other = await Browser.registered(world);
    const first = owner.token;
    await owner.signIn();
    const listed = async (who: Browser) => (await who.get('/v1/account/sessions')).body.sessions;
    // The sign-in has replaced this browser's earlier session.
    expect(await listed(owner)).toEqual([
      {
        id: expect.stringMatching(/^[0-9a-f]{24}$/),
        device: expect.any(String),
        createdAt: expect.any(String),
        expiresAt: expect.any(String),
        current: true,
      },
    ]);
    expect(owner.token).not.toBe(first);

    const [{ id }] = await listed(owner);
    expect((await other.delete(`/v1/account/sessions/${id}`)).status).toBe(404);
    expect((await owner.get('/v1/account/sessions')).status).toBe(200);
    expect((await owner.delete(`/v1/account/sessions/${id}`)).body).toEqual({ ok: true });
    expect((await owner.get('/v1/account/sessions')).status).toBe(401);
    expect(await listed(other)).toHaveLength(1);
  });

  it('takes nothing from the body but address and password', async () => {
    const fields = {
      id: 'acc_000000000000000000',
      bannedAt: null,
      banned_at: '2020-01-01',
      balanceMicro: 1_000_000,
      createdAt: '2001-01-01T00:00:00Z',
      passwordHash: 'x',
      isAdmin: true,
    };

    const { body } = await register('mallory@example.com', 'long enough password', fields);

    expect(body.id).not.toBe(fields.id);
    expect(Date.parse(body.createdAt as string)).toBeGreaterThan(Date.now() - 60_000);
    expect(await world.db.rows('select from ledger_account')).toEqual([]);
  });

  it('keeps no password and no session, only hashes', async () => {
    const browser = await Browser.registered(world);

    const stored = JSON.stringify(
      await world.db.rows(
        `select a.*, encode(s.token_hash, 'hex') as hex, encode(s.token_hash, 'base64') as base64
         from account a join session s on s.account_id = a.id`,
      ),
    );

    expect(stored).toContain('$argon2id$v=19$m=19456,t=2,p=1$');
    expect(stored).not.toContain(browser.password);
    expect(stored).not.toContain(browser.token);
    expect(stored).not.toContain(Buffer.from(browser.token ?? '', 'base64url').toString('hex'));
  });

  describe('signing in', () => {
    it('works with the right password, in any case of the address and any form of its letters', async () => {
      await register('zoe@example.com', 'Zoë is here\u0021');

      const answer = await world.post('/v1/account/sign-in', {
        email: 'ZOE@example.com',
        password: 'Zoe\u0308 is here!',
      });

      expect(answer.status).toBe(200);
      expect(answer.body.email).toBe('zoe@example.com');
    });

    it('says the same of a wrong password and of an unknown address, and works as hard for both', async () => {
      const { email } = await Browser.registered(world);
      const checks = jest.spyOn(argon2, 'verify');
      const attempt = (address: string) =>
        world.post('/v1/account/sign-in', { email: address, password: 'wrong password' });

      const wrong = await attempt(email);
      const forWrong = checks.mock.calls.splice(0).map(([stored]) => costOf(stored));
      const unknown = await attempt('nobody@example.com');
      const forUnknown = checks.mock.calls.splice(0).map(([stored]) => costOf(stored));
      checks.mockRestore();

      for (const answer of [wrong, unknown]) {
        expectEnvelope(answer, { status: 401, code: 'INVALID_LOGIN', type: 'authentication_error' });
        expect(answer.body.error.message).toBe('The email address or the password is wrong.');
        expect(answer.headers['set-cookie']).toBeUndefined();
      }
      expect(forWrong).toHaveLength(1);
      expect(forUnknown).toEqual(forWrong);
    });

    it('gives a new session and ends the one that was there, so that no one can plant a session', async () => {
      const browser = await Browser.registered(world);
      const before = browser.token;

      await browser.signIn();

      expect(browser.token).not.toBe(before);
      const old = await world.get('/v1/account/keys', { cookie: `lamppost_session=${before}` });
      expectEnvelope(old, { status: 401, code: 'MISSING_CREDENTIALS' });
      expect((await browser.get('/v1/account/keys')).status).toBe(200);
    });

    it('never adopts a session that the caller made up', async () => {
      const browser = await Browser.registered(world);
      browser.token = 'A'.repeat(43);

      await browser.signIn();

      expect(browser.token).not.toBe('A'.repeat(43));
      expect(browser.token).toMatch(/^[A-Za-z0-9_-]{43}$/);
    });

    it('is refused to a closed account, but only with the right password', async () => {
      const browser = await Browser.registered(world);
      await world.db.rows('update account set banned_at = now() where id = $1', [browser.id]);

      expectEnvelope(await browser.signIn('a wrong password'), { status: 401, code: 'INVALID_LOGIN' });
      const answer = await browser.signIn();

      expectEnvelope(answer, { status: 401, code: 'ACCOUNT_BANNED' });
      expect(answer.body).toMatchObject({
        manageKeys: `${ORIGIN}/account/keys`,
        signIn: `${ORIGIN}/account/sign-in`,
      });
    });
  });

  describe('a session', () => {
    it('is a cookie that no script reads and no other site sends', async () => {
      const { token, cookieAttributes } = await Browser.registered(world);

      expect(token).toMatch(/^[A-Za-z0-9_-]{43}$/);
      expect([...cookieAttributes].sort()).toEqual(['HttpOnly', 'Max-Age=2592000', 'Path=/', 'SameSite=Lax']);
    });

    it('ends on the server when its person signs out, and signing out twice is fine', async () => {
      const browser = await Browser.registered(world);
      const { cookie } = browser;

      expect((await browser.post('/v1/account/sign-out')).body).toEqual({ ok: true });
      expect(browser.token).toBeUndefined();
      expectEnvelope(await world.get('/v1/account/keys', cookie), {
        status: 401,
        code: 'MISSING_CREDENTIALS',
      });
      expect((await browser.post('/v1/account/sign-out')).status).toBe(200);
    });

    it('ends when its time is over', async () => {
      const browser = await Browser.registered(world);
      await world.db.rows(`update session set expires_at = now() where account_id = $1`, [browser.id]);

      expectEnvelope(await browser.get('/v1/account/keys'), { status: 401, code: 'MISSING_CREDENTIALS' });
    });

    it('ends when the account is closed, and lives again when it is opened', async () => {
      const browser = await Browser.registered(world);

      await world.db.rows('update account set banned_at = now() where id = $1', [browser.id]);
      expectEnvelope(await browser.get('/v1/account/keys'), { status: 401, code: 'ACCOUNT_BANNED' });
      await world.db.rows('update account set banned_at = null where id = $1', [browser.id]);

      expect((await browser.get('/v1/account/keys')).status).toBe(200);
    });

    it.each([
      ['nothing', ''],
      ['a short one', 'abc'],
      ['one with strange letters', `${'a'.repeat(42)}%00`],
      ['an unknown one', 'b'.repeat(43)],
      ['a very long one', 'c'.repeat(20_000)],
    ])('is not found by %s', async (_, token) => {
      expectEnvelope(await world.get('/v1/account/keys', { cookie: `lamppost_session=${token}` }), {
        status: 401,
        code: 'MISSING_CREDENTIALS',
      });
    });

    it('leaves the table once it has ended, when somebody else signs in', async () => {
      const gone = await Browser.registered(world);
      await world.db.rows(`update session set expires_at = now() where account_id = $1`, [gone.id]);

      await Browser.registered(world);

      expect(await world.db.rows('select from session where account_id = $1', [gone.id])).toEqual([]);
    });
  });

  describe('a new password', () => {
    const change = (browser: Browser, current: string, next: string) =>
      browser.post('/v1/account/password', { current, next });

    it('ends all other sessions, and goes on under a new one', async () => {
      const here = await Browser.registered(world);
      const elsewhere = { cookie: `lamppost_session=${here.token}` };
      here.token = undefined;
      await here.signIn();

      expect((await change(here, here.password, 'another password')).body).toEqual({ ok: true });

      expect((await here.get('/v1/account/keys')).status).toBe(200);
      expect((await world.get('/v1/account/keys', elsewhere)).status).toBe(401);
      expectEnvelope(await here.signIn(), { status: 401, code: 'INVALID_LOGIN' });
      expect((await here.signIn('another password')).status).toBe(200);
    });

    it('needs the current one', async () => {
      const browser = await Browser.registered(world);

      expectEnvelope(await change(browser, 'not my password', 'another password'), {
        status: 401,
        code: 'INVALID_LOGIN',
        param: 'current',
      });
      expectEnvelope(await change(browser, browser.password, 'short'), {
        status: 400,
        code: 'INVALID_REQUEST',
        param: 'next',
      });
      expect((await browser.signIn()).status).toBe(200);
    });

    it('leaves no session of the old one, when somebody signs in with that at the same moment', async () => {
      const owner = await Browser.registered(world);
      const thieves = Array.from({ length: 6 }, () => {
        const thief = new Browser(world);
        return Object.assign(thief, { email: owner.email });
      });

      await Promise.all([
        ...thieves.map((thief) => thief.signIn()),
        change(owner, owner.password, 'another password'),
      ]);

      for (const thief of thieves) {
        expect((await thief.get('/v1/account/keys')).status).toBe(401);
      }
      expect((await owner.get('/v1/account/keys')).status).toBe(200);
    });
  });

  describe('a call from another site', () => {
    const routes = ['/v1/account/sign-out', '/v1/account/password', '/v1/account/keys'];

    it.each(routes)('is refused at %s, with a foreign origin or none beside the cookie', async (route) => {
      const browser = await Browser.registered(world);

      for (const origin of [
        'https://evil.example',
        'null',
        `${ORIGIN}.evil.example`,
        'http://127.0.0.1:4000',
      ]) {
        expectEnvelope(await world.post(route, {}, { ...browser.cookie, origin }), {
          status: 403,
          code: 'ORIGIN_MISMATCH',
          type: 'permission_error',
        });
      }
      expectEnvelope(await world.post(route, {}, browser.cookie), { status: 403, code: 'ORIGIN_MISMATCH' });
      expect((await browser.get('/v1/account/keys')).status).toBe(200);
    });

    it('can neither sign a visitor in nor make an account', async () => {
      const { email, password } = await Browser.registered(world);

      for (const route of ['/v1/account/sign-in', '/v1/account/register']) {
        const answer = await world.post(route, { email, password }, { origin: 'https://evil.example' });
        expectEnvelope(answer, { status: 403, code: 'ORIGIN_MISMATCH' });
        expect(answer.headers['set-cookie']).toBeUndefined();
      }
    });

    it.each(['application/x-www-form-urlencoded', 'text/plain', 'multipart/form-data; boundary=x'])(
      'cannot be made by a form (%s)',
      async (type) => {
        const { cookie } = await Browser.registered(world);

        const answer = await world.post('/v1/account/keys', '{"name":"x","expiresInDays":null}', {
          ...cookie,
          origin: ORIGIN,
          'content-type': type,
        });

        expectEnvelope(answer, { status: 415, code: 'UNSUPPORTED_MEDIA' });
      },
    );

    it('gets no leave to read: account routes name no allowed origin', async () => {
      const answer = await world.get('/v1/account/keys', { origin: 'https://evil.example' });

      expect(answer.headers['access-control-allow-origin']).toBeUndefined();
      expect(answer.headers['access-control-allow-credentials']).toBeUndefined();
    });
  });

  it('leaves no password and no token in any log line or answer', async () => {
    const { lines } = captureLog(world);
    const browser = await Browser.registered(world);
    const wrong = await browser.signIn('a wrong secret of mine');
    const broken = await world.post('/v1/account/sign-in', `{"email":"x","password":"${browser.password}`);
    const right = await browser.signIn();

    const seen = [...lines, ...[wrong, broken, right].map(({ body }) => JSON.stringify(body))].join('\n');

    expect(lines.length).toBeGreaterThan(0);
    expect(seen).not.toContain(browser.password);
    expect(seen).not.toContain('a wrong secret of mine');
    expect(seen).not.toContain(browser.token);
  });
});

describe('a service', () => {
  let world: World | undefined;

  afterEach(() => world?.stop());

  it('behind https sends the cookie over https only', async () => {
    world = await World.start({ PUBLIC_URL: 'https://lamppost.test' });

    const { cookieAttributes } = await Browser.registered(world);

    expect([...cookieAttributes].sort()).toEqual([
      'HttpOnly',
      'Max-Age=2592000',
      'Path=/',
      'SameSite=Lax',
      'Secure',
    ]);
  });

  it('lets nobody guess passwords for long, and nobody lock the owner of one out', async () => {
    const guarded = (world = await World.start({ RATE_LIMIT_SIGN_IN: '5', TRUSTED_PROXIES: '127.0.0.1' }));
    const guess = (email: string, ip: string) =>
      guarded.post('/v1/account/sign-in', { email, password: 'guess' }, { 'x-forwarded-for': ip });
    const sixTimes = async (make: (n: number) => ReturnType<typeof guess>) => {
      const answers = [];
      for (let n = 0; n < 6; n += 1) answers.push(await make(n));
      return answers;
    };

    const byMachine = await sixTimes((n) => guess(`victim-${n}@example.com`, '192.0.2.1'));
    const byMail = await sixTimes((n) => guess('one-victim@example.com', `192.0.2.${n + 10}`));

    expect(byMachine.map(({ status }) => status)).toEqual([401, 401, 401, 401, 401, 429]);
    expectEnvelope(byMachine[5]!, { status: 429, code: 'RATE_LIMITED' });
    expect(Number(byMachine[5]!.headers['retry-after'])).toBeGreaterThan(0);
    expect(byMail.map(({ status }) => status)).toEqual([401, 401, 401, 401, 401, 401]);
  });
});
