import { Secret, TOTP } from 'otpauth';

import { AccountFunds } from '#money/billing/ledger/account-funds';
import { creditsAccount } from '#money/billing/ledger/account-id';
import { micro } from '#kernel/money';
import { Browser } from '../support/browser';
import { expectEnvelope } from '../support/envelope';
import { expectEventually } from '../support/eventually';
import { MailServer } from '../support/mail-server';
import { PasskeyDevice } from '../support/passkey-device';
import { World } from '../support/world';

const ADMIN = { authorization: 'Bearer an-admin-token-for-tests' };
const NEXT = 'a second analytical engine';

/** The encoding of a mail breaks its links into lines. */
const linksIn = (raw: string): string[] =>
  [...raw.replaceAll('=\r\n', '').matchAll(/\/account\/reset#([\w-]{43})/g)].map(([, token]) => token!);

/** An authenticator app. Each code is of the next time step. */
class App {
  private step = 0;

  constructor(private readonly secret: string) {}

  next(): string {
    const timestamp = Date.now() + 30_000 * Math.min(this.step, 1);
    this.step += 1;
    return new TOTP({ secret: Secret.fromBase32(this.secret) }).generate({ timestamp });
  }
}

describe('the security of an account', () => {
  const mails = new MailServer();
  let world: World;

  beforeAll(async () => {
    await mails.start();
    world = await World.start({ ...mails.env, PUBLIC_URL: 'http://localhost:3999' });
  });

  afterEach(() => world.expectBooksToBalance());
  afterAll(async () => {
    await world.stop();
    await mails.stop();
  });

  /** Moves the account's time on by one step, so that used codes are old. */
  const forgetStep = (id: string) =>
    world.db.rows('update second_factor set last_step = last_step - 3 where account_id = $1', [id]);

  const protectedBy = async (owner: Browser): Promise<{ app: App; codes: string[] }> => {
    const begun = await owner.post('/v1/account/second-factor', { password: owner.password });
    expect(begun.status).toBe(201);
    expect(begun.body.qr).toContain('<svg');
    expect(begun.body.address).toContain(begun.body.secret);
    const app = new App(begun.body.secret as string);
    const confirmed = await owner.post('/v1/account/second-factor/confirm', { code: app.next() });
    expect(confirmed.status).toBe(200);
    return { app, codes: confirmed.body.recoveryCodes as string[] };
  };

  const signIn = (who: Browser, code?: string, password = who.password) =>
    new Browser(world).post('/v1/account/sign-in', { email: who.email, password, code });

  describe('a second factor', () => {
    it('is asked for after the right password only, and each code is valid once', async () => {
      const owner = await Browser.registered(world);
      expect((await signIn(owner)).status).toBe(200);
      const { app } = await protectedBy(owner);

      expectEnvelope(await signIn(owner, undefined, 'wrong password'), {
        status: 401,
        code: 'INVALID_LOGIN',
      });
      const asked = await signIn(owner);
      expectEnvelope(asked, { status: 401, code: 'SECOND_FACTOR_REQUIRED', param: 'code' });
      expect(asked.headers['set-cookie']).toBeUndefined();
      const code = app.next();
      expect((await signIn(owner, `${code.slice(0, 3)} ${code.slice(3)}`)).status).toBe(200);
      expectEnvelope(await signIn(owner, code), { status: 401, code: 'INVALID_CODE', param: 'code' });
    });

    it('accepts one code in one of eight sign-ins that race with it', async () => {
      const owner = await Browser.registered(world);
      const { app, codes } = await protectedBy(owner);

      for (const code of [app.next(), codes[0]]) {
        const answers = await Promise.all(Array.from({ length: 8 }, () => signIn(owner, code)));
        expect(answers.filter(({ status }) => status === 200)).toHaveLength(1);
        expect(answers.filter(({ status }) => status === 401)).toHaveLength(7);
      }
    });

    it('stops guesses for a day, in every process, and still lets the owner in with a recovery code', async () => {
      const owner = await Browser.registered(world);
      const { codes } = await protectedBy(owner);
      const other = await World.start({ ...mails.env, DATABASE_URL: world.settings.databaseUrl! });
      const statuses: number[] = [];
      for (let n = 0; n < 22; n += 1) {
        const at = n % 2 === 0 ? world : other;
        const body = { email: owner.email, password: owner.password, code: '000000' };
        statuses.push((await at.post('/v1/account/sign-in', body)).status);
      }
      await other.stop();

      expect(statuses).toEqual([...Array<number>(20).fill(401), 429, 429]);
      expect((await signIn(owner, codes[3])).status).toBe(200);
      await expectEventually(() => mails.to(owner.email).some(({ raw }) => raw.includes('wrong codes')));
      await world.db.rows(
        `update second_factor set guesses_since = now() - interval '1 day' where account_id = $1`,
        [owner.id],
      );
      expect((await signIn(owner, '000000')).status).toBe(401);
    });

    it('needs more than a session to be set up, renewed and removed', async () => {
      const owner = await Browser.registered(world);
      const wrong = { status: 401, code: 'INVALID_LOGIN', param: 'password' };
      expectEnvelope(await owner.post('/v1/account/second-factor', { password: 'not mine at all' }), wrong);
      const { app, codes } = await protectedBy(owner);
      for (const route of ['recovery-codes', 'remove']) {
        const to = `/v1/account/second-factor/${route}`;
        expectEnvelope(await owner.post(to, { password: 'not mine at all' }), wrong);
        expectEnvelope(await owner.post(to, { password: owner.password }), {
          status: 401,
          code: 'SECOND_FACTOR_REQUIRED',
          param: 'code',
        });
      }
      expectEnvelope(await owner.post('/v1/account/password', { current: owner.password, next: NEXT }), {
        status: 401,
        code: 'SECOND_FACTOR_REQUIRED',
        param: 'code',
      });
      expectEnvelope(
        await owner.post('/v1/account/second-factor', { password: owner.password, code: codes[0] }),
        {
          status: 409,
          code: 'SECOND_FACTOR_ON',
        },
      );

      const renewed = await owner.post('/v1/account/second-factor/recovery-codes', {
        password: owner.password,
        code: app.next(),
      });
      expect(renewed.body.recoveryCodes).toHaveLength(10);
      expect((await signIn(owner, codes[1])).status).toBe(401);
      const removal = { password: owner.password, code: renewed.body.recoveryCodes[0] };
      expect((await owner.post('/v1/account/second-factor/remove', removal)).body).toEqual({ ok: true });
      expect((await signIn(owner)).status).toBe(200);
      expect(await world.db.rows('select from recovery_code where account_id = $1', [owner.id])).toEqual([]);
    });

    it('keeps its secret encrypted and its recovery codes hashed, and shows what is on', async () => {
      const owner = await Browser.registered(world);
      const { codes } = await protectedBy(owner);
      await signIn(owner, codes[0]);

      const { body } = await owner.get('/v1/account/security');
      expect(body).toEqual({
        secondFactor: { on: true, since: expect.any(String), recoveryCodesLeft: 9 },
        passkeys: [],
        passkeysPossible: true,
      });
      const stored = JSON.stringify(await world.db.rows('select * from recovery_code'));
      for (const code of codes) expect(stored).not.toContain(code);
    });

    it('counts from its confirmation, so an open set-up locks nobody out', async () => {
      const owner = await Browser.registered(world);
      await owner.post('/v1/account/second-factor', { password: owner.password });
      expect((await signIn(owner)).status).toBe(200);
      await world.db.rows(
        `update second_factor set created_at = now() - interval '16 minutes' where account_id = $1`,
        [owner.id],
      );
      expectEnvelope(await owner.post('/v1/account/second-factor/confirm', { code: '123456' }), {
        status: 409,
        code: 'NO_SECOND_FACTOR',
      });
    });
  });

  describe('a forgotten password', () => {
    const forgot = (email: string) => world.post('/v1/account/password/forgot', { email });
    const reset = (token: string, password = NEXT) =>
      world.post('/v1/account/password/reset', { token, password });
    const linkFor = async (owner: Browser): Promise<string> => {
      const seen = mails.to(owner.email).length;
      expect((await forgot(owner.email)).body).toEqual({ ok: true });
      const links = () =>
        mails
          .to(owner.email)
          .slice(seen)
          .flatMap(({ raw }) => linksIn(raw));
      await expectEventually(() => links().length > 0);
      return links()[0]!;
    };

    it('is set again by a mailed link, once, and every session ends', async () => {
      const owner = await Browser.registered(world);
      const first = await linkFor(owner);
      const second = await linkFor(owner);
      expectEnvelope(await reset(first, 'Passw0rd123!'), {
        status: 400,
        code: 'INVALID_REQUEST',
        param: 'password',
      });

      expect((await reset(first)).body).toEqual({ ok: true, passkeys: 0 });

      expect((await owner.get('/v1/account/sessions')).status).toBe(401);
      expect((await signIn(owner)).status).toBe(401);
      expect((await signIn(owner, undefined, NEXT)).status).toBe(200);
      for (const token of [first, second, 'A'.repeat(43), 'short'])
        expectEnvelope(await reset(token), { status: 410, code: 'RESET_EXPIRED', param: 'token' });
      await expectEventually(() =>
        mails.to(owner.email).some(({ raw }) => raw.includes('signed out everywhere')),
      );
    });

    it('is set by one of eight calls that race with one link', async () => {
      const owner = await Browser.registered(world);
      const token = await linkFor(owner);
      const answers = await Promise.all(Array.from({ length: 8 }, () => reset(token)));
      expect(answers.filter(({ status }) => status === 200)).toHaveLength(1);
      expect(answers.filter(({ status }) => status === 410)).toHaveLength(7);
    });

    it('answers everybody alike, with an account or without, and mails an address only a few times', async () => {
      const owner = await Browser.registered(world);
      const known = await forgot(owner.email);
      const unknown = await forgot('nobody-at-all@example.com');
      expect(unknown.status).toBe(known.status);
      expect(unknown.body).toEqual(known.body);
      const names = (answer: typeof known) => Object.keys(answer.headers).sort();
      expect(names(unknown)).toEqual(names(known));

      for (let n = 0; n < 5; n += 1) expect((await forgot(owner.email)).body).toEqual({ ok: true });
      const last = await Browser.registered(world);
      await linkFor(last);
      expect(mails.to(owner.email).filter(({ raw }) => linksIn(raw).length > 0).length).toBeLessThanOrEqual(
        3,
      );
      expect(mails.to('nobody-at-all@example.com')).toEqual([]);
    });

    it('keeps only the hash of a link, which ends after an hour and with a changed password', async () => {
      const owner = await Browser.registered(world);
      const token = await linkFor(owner);
      const stored = JSON.stringify(
        await world.db.rows(`select r.*, encode(token_hash, 'base64') as text from password_reset r`),
      );
      expect(stored).not.toContain(token);
      const [row] = await world.db.rows<{ minutes: number }>(
        `select extract(epoch from expires_at - created_at)::integer / 60 as minutes from password_reset where account_id = $1`,
        [owner.id],
      );
      expect(row).toEqual({ minutes: 60 });
      await world.db.rows('update password_reset set expires_at = now() where account_id = $1', [owner.id]);
      expect((await reset(token)).status).toBe(410);

      const later = await linkFor(owner);
      await owner.post('/v1/account/password', {
        current: owner.password,
        next: 'a third analytical engine',
      });
      expect((await reset(later)).status).toBe(410);
    });

    it('keeps the second factor: the link alone signs nobody in', async () => {
      const owner = await Browser.registered(world);
      await protectedBy(owner);
      expect((await reset(await linkFor(owner))).status).toBe(200);
      expectEnvelope(await signIn(owner, undefined, NEXT), {
        status: 401,
        code: 'SECOND_FACTOR_REQUIRED',
        param: 'code',
      });
    });

    it('is asked for from our own pages only', async () => {
      const answer = await world.post(
        '/v1/account/password/forgot',
        { email: 'ada@example.com' },
        { origin: 'https://evil.example' },
      );
      expectEnvelope(answer, { status: 403, code: 'ORIGIN_MISMATCH' });
    });

    describe('with a link of an operator', () => {
      const make = (id: string, body: object) =>
        world.post(`/v1/admin/accounts/${id}/reset-link`, body, ADMIN);

      it('is set again, which the audit and a mail say; the second factor goes only if asked for', async () => {
        const owner = await Browser.registered(world);
        await protectedBy(owner);
        expectEnvelope(await make(owner.id, {}), { status: 400, code: 'INVALID_REQUEST', param: 'reason' });

        const plain = await make(owner.id, { reason: 'called from the known number' });
        expect(plain.status).toBe(200);
        expect((await reset(plain.body.url.split('#')[1] as string)).status).toBe(200);
        expect((await signIn(owner, undefined, NEXT)).body.error.code).toBe('SECOND_FACTOR_REQUIRED');

        const whole = await make(owner.id, { reason: 'lost the phone', removeSecondFactor: true });
        expect((await reset(whole.body.url.split('#')[1] as string)).status).toBe(200);
        expect((await signIn(owner, undefined, NEXT)).status).toBe(200);
        const { body } = await world.get('/v1/admin/audit', ADMIN);
        expect(body.entries.slice(0, 2)).toMatchObject([
          {
            action: 'reset_link',
            accountId: owner.id,
            reason: 'lost the phone',
            subject: 'password and second factor',
          },
          { action: 'reset_link', accountId: owner.id, subject: 'password' },
        ]);
        expect(JSON.stringify(body)).not.toContain(whole.body.url.split('#')[1]);
        await expectEventually(() => mails.to(owner.email).some(({ raw }) => raw.includes('operator')));
      });

      it('is not made for a closed account, for an organisation, or without the scope', async () => {
        const owner = await Browser.registered(world);
        const organisation = await owner.founds();
        const why = { reason: 'asked' };
        expectEnvelope(await make(organisation, why), { status: 404, code: 'NOT_FOUND' });
        const { body } = await make(owner.id, why);
        await world.post(`/v1/admin/accounts/${owner.id}/ban`, {}, ADMIN);
        expectEnvelope(await make(owner.id, why), { status: 404, code: 'NOT_FOUND' });
        expect((await reset(body.url.split('#')[1] as string)).status).toBe(410);
      });
    });
  });

  describe('a passkey', () => {
    const added = async (owner: Browser, device = new PasskeyDevice()) => {
      const { body } = await owner.post('/v1/account/passkeys/options', { password: owner.password });
      const response = device.create(body.options);
      const answer = await owner.post('/v1/account/passkeys', { name: 'My phone', response });
      return { device, answer, response };
    };
    const options = async () => (await world.post('/v1/account/sign-in/passkey/options', {})).body.options;
    const enter = (response: object) => new Browser(world).post('/v1/account/sign-in/passkey', { response });
    const refused = { status: 401, code: 'PASSKEY_REFUSED' };

    it('signs in without a password and without a code, once for each challenge', async () => {
      const owner = await Browser.registered(world);
      const { device, answer } = await added(owner);
      expect(answer.status).toBe(201);
      await protectedBy(owner);

      const response = device.get(await options());
      const entered = await enter(response);
      expect(entered.body).toMatchObject({ id: owner.id, email: owner.email });
      expect(entered.headers['set-cookie']).toBeDefined();
      expectEnvelope(await enter(response), refused);
    });

    it('answers a challenge once, of all passkeys together', async () => {
      const [owner, other] = [await Browser.registered(world), await Browser.registered(world)];
      const { body } = await owner.post('/v1/account/passkeys/options', { password: owner.password });
      const codes = [];
      for (const device of [new PasskeyDevice(), new PasskeyDevice(), new PasskeyDevice()]) {
        const response = device.create(body.options);
        const answer = await owner.post('/v1/account/passkeys', { name: 'My phone', response });
        codes.push(`${answer.status} ${answer.body.error?.code ?? ''}`.trim());
      }
      expect(codes).toEqual(['201', '401 PASSKEY_REFUSED', '401 PASSKEY_REFUSED']);

      const [one, two] = [(await added(owner)).device, (await added(other)).device];
      const challenge = await options();
      expect((await enter(one.get(challenge))).status).toBe(200);
      expectEnvelope(await enter(two.get(challenge)), refused);
      expect((await enter(two.get(await options()))).status).toBe(200);
    });

    it('is refused with an attestation, whose certificates name addresses', async () => {
      const owner = await Browser.registered(world);
      const { body } = await owner.post('/v1/account/passkeys/options', { password: owner.password });
      const device = new PasskeyDevice();
      // Without a certificate, the library accepts this one: it is signed by the passkey itself.
      for (const format of ['packed', 'fido-u2f', 'android-safetynet']) {
        const response = device.create(body.options, { format });
        const answer = await owner.post('/v1/account/passkeys', { name: 'My phone', response });
        expectEnvelope(answer, refused);
      }
      const response = device.create(body.options);
      expect((await owner.post('/v1/account/passkeys', { name: 'My phone', response })).status).toBe(201);
    });

    it("needs more than a session or another person's challenge to be added", async () => {
      const [owner, thief] = [await Browser.registered(world), await Browser.registered(world)];
      expectEnvelope(await owner.post('/v1/account/passkeys/options', { password: 'not mine at all' }), {
        status: 401,
        code: 'INVALID_LOGIN',
        param: 'password',
      });
      const own = await thief.post('/v1/account/passkeys/options', { password: thief.password });
      const device = new PasskeyDevice();
      const body = { name: 'Thief', response: device.create(own.body.options) };
      expectEnvelope(await owner.post('/v1/account/passkeys', body), refused);
      const forSignIn = {
        name: 'Thief',
        response: device.create({ ...own.body.options, ...(await options()) }),
      };
      expectEnvelope(await owner.post('/v1/account/passkeys', forSignIn), refused);
      expect((await owner.get('/v1/account/security')).body.passkeys).toEqual([]);
    });

    it('of another account, another site, or another key is refused', async () => {
      const [owner, thief] = [await Browser.registered(world), await Browser.registered(world)];
      const { device } = await added(owner);
      const other = await added(thief);
      // The thief's own device claims to be the passkey of the owner.
      const claimed = { ...other.device.get(await options()), id: device.id, rawId: device.id };
      expectEnvelope(await enter(claimed), refused);
      expectEnvelope(await enter(device.get(await options(), { origin: 'https://evil.example' })), refused);
      expectEnvelope(await enter(device.get({ ...(await options()), rpId: 'evil.example' })), refused);
      expectEnvelope(await enter(device.get({ ...(await options()), challenge: 'AAAA' })), refused);
      expectEnvelope(await enter(device.get(await options(), { verified: false })), refused);
      expectEnvelope(await enter(new PasskeyDevice().get(await options())), refused);
      // The same credential can't belong to a second account.
      const taken = await added(thief, device);
      expectEnvelope(taken.answer, { status: 409, code: 'PASSKEYS_UNAVAILABLE' });
      const entered = await enter(device.get(await options()));
      expect(entered.body.id).toBe(owner.id);
    });

    it('is removed with a proof, by its owner only, and signs in to no closed account', async () => {
      const [owner, thief] = [await Browser.registered(world), await Browser.registered(world)];
      const { device } = await added(owner);
      const remove = (who: Browser, password = who.password) =>
        who.post('/v1/account/passkeys/remove', { id: device.id, password });
      expectEnvelope(await remove(thief), { status: 404, code: 'NOT_FOUND' });
      expectEnvelope(await remove(owner, 'not mine at all'), {
        status: 401,
        code: 'INVALID_LOGIN',
        param: 'password',
      });
      await world.db.rows('update account set banned_at = now() where id = $1', [owner.id]);
      expectEnvelope(await enter(device.get(await options())), { status: 401, code: 'ACCOUNT_BANNED' });
      await world.db.rows('update account set banned_at = null where id = $1', [owner.id]);
      const response = device.get(await options());
      expect((await remove(owner)).body).toEqual({ ok: true });
      expectEnvelope(await enter(response), refused);
    });
  });

  describe('the end of an account', () => {
    const close = (who: Browser, leaveMicro: number, more: object = {}) =>
      who.post('/v1/account/close', { password: who.password, leaveMicro, ...more });
    const give = (id: string, amount: bigint) =>
      world.app.get(AccountFunds, { strict: false }).topUp(creditsAccount(id), micro(amount), `test:${id}`);

    it('needs the exact balance and a proof, and ends sessions, keys, links and organisations of its own', async () => {
      const owner = await Browser.registered(world);
      await give(owner.id, 5_000_000n);
      const { key } = await owner.makeKey();
      const acme = await owner.founds();
      await give(acme, 250_000n);
      owner.organisation = undefined;
      const elsewhere = { cookie: `lamppost_session=${owner.token}` };

      const { body } = await owner.get('/v1/account/close');
      expect(body).toEqual({
        leaveMicro: 5_250_000,
        organisations: [
          { id: owner.id, name: owner.email, personal: true, otherMembers: 0, balanceMicro: 5_000_000 },
          { id: acme, name: 'Acme', personal: false, otherMembers: 0, balanceMicro: 250_000 },
        ],
        needOwner: [],
      });
      expectEnvelope(await close(owner, 5_000_000), {
        status: 409,
        code: 'BALANCE_DIFFERS',
        param: 'leaveMicro',
      });
      expectEnvelope(await close(owner, 5_250_000, { password: 'not mine at all' }), {
        status: 401,
        code: 'INVALID_LOGIN',
        param: 'password',
      });

      expect((await close(owner, 5_250_000)).body).toEqual({ ok: true, leftMicro: 5_250_000 });

      expect(owner.token).toBeUndefined();
      expect((await world.get('/v1/account/sessions', elsewhere)).status).toBe(401);
      const paid = await world.get('/v1/agent/balance', { authorization: `Bearer ${key}` });
      expectEnvelope(paid, { status: 401, code: 'ACCOUNT_BANNED' });
      expectEnvelope(await signIn(owner), { status: 401, code: 'ACCOUNT_BANNED' });
      const rows = await world.db.rows(
        'select id from account where closed_at is not null and banned_at is not null',
      );
      expect(rows).toEqual(expect.arrayContaining([{ id: owner.id }, { id: acme }]));
      const listed = await world.get('/v1/admin/accounts', ADMIN);
      expect(listed.body.accounts.find(({ id }: { id: string }) => id === owner.id)).toMatchObject({
        closedAt: expect.any(String),
        balanceMicro: 5_000_000,
      });
      // An operator opens the account again, with its money.
      const opened = await world.post(`/v1/admin/accounts/${owner.id}/unban`, {}, ADMIN);
      expect(opened.body).toMatchObject({ bannedAt: null, balanceMicro: 5_000_000 });
      expect((await signIn(owner)).status).toBe(200);
    });

    it('asks for the code of the app as well', async () => {
      const owner = await Browser.registered(world);
      const { app } = await protectedBy(owner);
      expectEnvelope(await close(owner, 0), { status: 401, code: 'SECOND_FACTOR_REQUIRED', param: 'code' });
      expect((await close(owner, 0, { code: app.next() })).status).toBe(200);
    });

    it('leaves no organisation with members without an owner, even if two owners close at the same moment', async () => {
      const owner = await Browser.registered(world);
      const acme = await owner.founds();
      const member = await owner.colleague('developer');
      const needs = { status: 409, code: 'LAST_OWNER' };
      expectEnvelope(await close(owner, 0), needs);
      expect((await owner.get('/v1/account/close')).body.needOwner).toEqual([{ id: acme, name: 'Acme' }]);

      const second = await owner.colleague('owner');
      const answers = await Promise.all([close(owner, 0), close(second, 0)]);

      expect(answers.filter(({ status }) => status === 200)).toHaveLength(1);
      const [left] = await world.db.rows<{ owners: number; open: boolean }>(
        `select count(*) filter (where a.banned_at is null)::integer as owners,
           (select banned_at is null from account where id = $1) as open
         from member m join account a on a.id = m.account_id where m.organisation_id = $1 and m.role = 'owner'`,
        [acme],
      );
      expect(left).toEqual({ owners: 1, open: true });
      expect((await member.get(`/v1/account/organisations/${acme}/members`)).status).toBe(200);
    });

    it('disables the webhook endpoints and withdraws the invites', async () => {
      const owner = await Browser.registered(world);
      owner.organisation = owner.id;
      const { body } = await owner.invite({ role: 'viewer' });
      owner.organisation = undefined;
      expect((await close(owner, 0)).status).toBe(200);
      const guest = await Browser.registered(world);
      expect((await guest.accept(body.inviteUrl as string)).status).toBe(410);
    });
  });

  it('changes the signing secret without losing a second factor', async () => {
    const owner = await Browser.registered(world);
    const { app } = await protectedBy(owner);
    await forgetStep(owner.id);
    const changed = await World.start({
      DATABASE_URL: world.settings.databaseUrl!,
      SIGNING_SECRET: 'another-secret-for-tests-only-0123456789',
      SIGNING_SECRET_PREVIOUS: 'a-secret-for-tests-only-0123456789abcdef',
    });
    await changed.stop();
    const alone = await World.start({
      DATABASE_URL: world.settings.databaseUrl!,
      SIGNING_SECRET: 'another-secret-for-tests-only-0123456789',
    });
    const body = { email: owner.email, password: owner.password, code: app.next() };
    expect((await alone.post('/v1/account/sign-in', body)).status).toBe(200);
    await alone.stop();
  });
});

describe('a service without mail', () => {
  it('says so for every address, and has no passkeys at an IP address', async () => {
    const world = await World.start();
    for (const email of ['nobody@example.com', (await Browser.registered(world)).email]) {
      expectEnvelope(await world.post('/v1/account/password/forgot', { email }), {
        status: 409,
        code: 'NO_MAIL',
      });
    }
    const answer = await world.post('/v1/account/sign-in/passkey/options', {});
    expectEnvelope(answer, { status: 409, code: 'PASSKEYS_UNAVAILABLE' });
    await world.stop();
  });
});
