import { PasswordResets } from '#people/accounts/resets/password-resets.service';
import { Browser, skipProof } from '../support/browser';
import { expectEnvelope } from '../support/envelope';
import { expectEventually } from '../support/eventually';
import { MailServer } from '../support/mail-server';
import { type Answer, World } from '../support/world';

const NEXT = 'a second analytical engine';
const codeOf = ({ status, body }: Answer): string => `${status} ${body.error?.code ?? ''}`.trim();

describe('the address of a new account', () => {
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

  const proofOf = async ({ email }: Browser): Promise<string> => {
    await expectEventually(() => mails.proofsTo(email).length > 0);
    return mails.proofsTo(email).at(-1)!;
  };
  const resetLinkTo = async (email: string): Promise<string> => {
    expect(codeOf(await world.post('/v1/account/password/forgot', { email }))).toBe('200');
    const tokens = (): string[] =>
      mails.to(email).flatMap(({ raw }) => {
        const [, token] = /\/account\/reset#([\w-]{43})/.exec(raw.replaceAll('=\r\n', '')) ?? [];
        return token ?? [];
      });
    await expectEventually(() => tokens().length > 0);
    return tokens().at(-1)!;
  };
  const reset = async (email: string): Promise<void> => {
    const body = { token: await resetLinkTo(email), password: NEXT };
    expect(codeOf(await world.post('/v1/account/password/reset', body))).toBe('200');
  };

  /** Everything that must not be possible before the proof. */
  const waiting = (who: Browser, organisation: string): readonly [string, () => Promise<Answer>][] => [
    ['a key', () => who.post('/v1/account/keys', { name: 'agent', expiresInDays: null })],
    ['a delegated key', () => who.post('/v1/agent/keys', { limitMicro: 1_000, expiresInSeconds: 3_600 })],
    ['an invite', () => who.post(`/v1/account/organisations/${organisation}/invites`, { role: 'admin' })],
    ['an app', () => who.post('/v1/account/second-factor', { password: who.password })],
    ['passkey options', () => who.post('/v1/account/passkeys/options', { password: who.password })],
    ['a top-up', () => who.post('/v1/account/billing/top-up', { usd: 5 })],
    ['closing', () => who.post('/v1/account/close', { password: who.password, leaveMicro: 0 })],
  ];

  it('is proven before keys, invites, second factors, top-ups and closing', async () => {
    const ann = await Browser.unproven(world);
    for (const [what, act] of waiting(ann, ann.id))
      expect([what, codeOf(await act())]).toEqual([what, '403 EMAIL_NOT_PROVEN']);
    const refused = await ann.post('/v1/account/keys', { name: 'agent', expiresInDays: null });
    expectEnvelope(refused, { status: 403, code: 'EMAIL_NOT_PROVEN' });
    expect(refused.body.error.message).toContain('POST /v1/account/address-proof/mail');
    expect((await ann.get('/v1/account')).body.proofDue).toBe(true);

    expect(codeOf(await ann.post('/v1/account/address-proof', { token: await proofOf(ann) }))).toBe('200');

    expect((await ann.get('/v1/account')).body.proofDue).toBe(false);
    for (const [what, act] of waiting(ann, ann.id).slice(0, 6))
      expect([what, codeOf(await act())]).toEqual([
        what,
        expect.stringMatching(/^20[01]$|BALANCE|FUNDS|402/),
      ]);
  });

  it('is proven only by the person who is signed in, with the link of their own account', async () => {
    const [squatter, other] = [await Browser.unproven(world), await Browser.unproven(world)];
    const token = await proofOf(squatter);

    expect(codeOf(await world.post('/v1/account/address-proof', { token }))).toBe('401 MISSING_CREDENTIALS');
    expect(codeOf(await other.post('/v1/account/address-proof', { token }))).toBe('410 PROOF_EXPIRED');
    const [time] = token.split('.');
    const later = token.replace(time!, String(Number(time) + 1));
    expect(codeOf(await squatter.post('/v1/account/address-proof', { token: later }))).toBe(
      '410 PROOF_EXPIRED',
    );
    expect((await squatter.get('/v1/account')).body.proofDue).toBe(true);
  });

  it('gets the link again, a few times', async () => {
    const ann = await Browser.unproven(world);
    await proofOf(ann);
    const answers = [];
    for (let n = 0; n < 4; n += 1) answers.push(codeOf(await ann.post('/v1/account/address-proof/mail')));
    expect(answers).toEqual(['200', '200', '429 RATE_LIMITED', '429 RATE_LIMITED']);
    await expectEventually(() => mails.proofsTo(ann.email).length === 3);
    const [first] = mails.proofsTo(ann.email);
    expect(codeOf(await ann.post('/v1/account/address-proof', { token: first }))).toBe('200');
    expect(codeOf(await ann.post('/v1/account/address-proof/mail'))).toBe('200');
    expect(mails.proofsTo(ann.email)).toHaveLength(3);
  });

  it('gets two steps in order, and a time that people can read', async () => {
    const ann = await Browser.unproven(world);
    await proofOf(ann);
    const { raw } = mails.delivered.findLast(({ to }) => to.includes(ann.email))!;
    const text = raw.replaceAll('=\r\n', '');
    expect(text).toMatch(/1\. Sign in at http[^\s]+\/account\/sign-in\r\n2\. /);
    expect(text).toMatch(/until \d{1,2} [A-Z][a-z]+ 20\d\d, \d\d:\d\d UTC\./);
  });

  it('is shown as due at the registration, at sign-ins and to operators', async () => {
    const ann = new Browser(world);
    const body = { email: ann.email, password: ann.password };
    expect(await ann.post('/v1/account/register', body)).toMatchObject({
      status: 201,
      body: { proofDue: true },
    });
    expect((await ann.post('/v1/account/sign-in', body)).body.proofDue).toBe(true);
    const listed = async (): Promise<unknown> =>
      (
        await world.get(`/v1/admin/accounts?search=${ann.email}`, {
          authorization: 'Bearer an-admin-token-for-tests',
        })
      ).body.accounts;
    expect(await listed()).toMatchObject([{ email: ann.email, proofDue: true }]);
    expect(codeOf(await ann.post('/v1/account/address-proof', { token: await proofOf(ann) }))).toBe('200');
    expect((await ann.post('/v1/account/sign-in', body)).body.proofDue).toBe(false);
    expect(await listed()).toMatchObject([{ email: ann.email, proofDue: false }]);
  });

  it('gets an account although the mail server is down, and the truth about the next mail', async () => {
    await mails.stop();
    const ann = await Browser.unproven(world);
    const failed = await ann.post('/v1/account/address-proof/mail');
    expectEnvelope(failed, { status: 503, code: 'INTERNAL' });
    expect(failed.headers['retry-after']).toBe('30');
    await mails.start();
    mails.unknown.add(ann.email);
    expect(codeOf(await ann.post('/v1/account/address-proof/mail'))).toBe('400 INVALID_REQUEST');
  });

  /** Makes the things that a stranger could make in an earlier version. */
  const makeThings = async (squatter: Browser) => {
    await world.db.rows('update account set proof_due = false where id = $1', [squatter.id]);
    const { key } = await squatter.makeKey();
    const child = await world.post(
      '/v1/agent/keys',
      { limitMicro: 1_000, expiresInSeconds: 3_600 },
      { 'x-api-key': key },
    );
    const friend = await Browser.unproven(world);
    squatter.organisation = squatter.id;
    const [old, open] = [await squatter.invite({ role: 'admin' }), await squatter.invite({ role: 'admin' })];
    expect(codeOf(await friend.accept(old.body.inviteUrl as string))).toBe('200');
    friend.organisation = squatter.id;
    await world.db.rows(
      `insert into second_factor (account_id, sealed, confirmed_at) values ($1, '\\x00', now())`,
      [squatter.id],
    );
    await world.db.rows(
      `insert into passkey (id, account_id, name, public_key, counter) values ($1, $2, 'mine', '\\x00', 0)`,
      [`passkey-${squatter.id}`, squatter.id],
    );
    await world.db.rows('update account set proof_due = true, proven_at = null where id = $1', [squatter.id]);
    return { keys: [key, child.body.key as string], friend, open: open.body.inviteUrl as string };
  };

  const expectNothingLeft = async (squatter: Browser, made: Awaited<ReturnType<typeof makeThings>>) => {
    for (const key of made.keys)
      await expectEventually(
        async () =>
          codeOf(await world.get('/v1/agent/balance', { 'x-api-key': key })) === '401 KEY_NOT_FOUND',
      );
    expect(codeOf(await made.friend.get(`/v1/account/organisations/${squatter.id}/members`))).toBe(
      '404 NOT_FOUND',
    );
    const late = await Browser.registered(world);
    expect(codeOf(await late.accept(made.open))).toMatch(/^410/);
    const rows = await world.db.one<{ left: number }>(
      `select (select count(*) from second_factor where account_id = $1)::int
        + (select count(*) from passkey where account_id = $1)::int as left`,
      [squatter.id],
    );
    expect(rows!.left).toBe(0);
  };

  it('gives its owner the account by the first new password, without anything of a stranger', async () => {
    const squatter = await Browser.unproven(world);
    const made = await makeThings(squatter);

    await reset(squatter.email);

    expect(codeOf(await squatter.get('/v1/account'))).toBe('401 MISSING_CREDENTIALS');
    await expectNothingLeft(squatter, made);
    const owner = new Browser(world);
    const signIn = { email: squatter.email, password: NEXT };
    expect(codeOf(await owner.post('/v1/account/sign-in', signIn))).toBe('200');
    expect((await owner.get('/v1/account')).body.proofDue).toBe(false);
    await owner.makeKey();
  });

  it('ends the same by the first proof, but not the session that proves it', async () => {
    const ann = await Browser.unproven(world);
    const made = await makeThings(ann);
    await world.db.rows('delete from second_factor where account_id = $1', [ann.id]);
    const elsewhere = new Browser(world);
    const signIn = { email: ann.email, password: ann.password };
    expect(codeOf(await elsewhere.post('/v1/account/sign-in', signIn))).toBe('200');
    expect(codeOf(await ann.post('/v1/account/address-proof', { token: await proofOf(ann) }))).toBe('200');

    expect(codeOf(await ann.get('/v1/account'))).toBe('200');
    expect(codeOf(await elsewhere.get('/v1/account'))).toBe('401 MISSING_CREDENTIALS');
    await expectNothingLeft(ann, made);
  });

  it('of an old account keeps its keys when the password is forgotten', async () => {
    const ann = await Browser.unproven(world);
    await world.db.rows('update account set proof_due = false, proven_at = null where id = $1', [ann.id]);
    const { key } = await ann.makeKey();
    await reset(ann.email);
    expect(codeOf(await world.get('/v1/agent/balance', { 'x-api-key': key }))).toBe('200');
  });

  it('is not blocked by a stranger who closed the account, but by an operator', async () => {
    const squatter = await Browser.unproven(world);
    await world.db.rows('update account set banned_at = now(), closed_at = now() where id = $1', [
      squatter.id,
    ]);
    await reset(squatter.email);
    const owner = new Browser(world);
    const signIn = { email: squatter.email, password: NEXT };
    expect(codeOf(await owner.post('/v1/account/sign-in', signIn))).toBe('200');

    const proven = await Browser.unproven(world);
    await skipProof(world, proven.id);
    const admin = { authorization: 'Bearer an-admin-token-for-tests' };
    const links = world.app.get(PasswordResets, { strict: false });
    for (const who of [proven, await Browser.unproven(world)]) {
      await world.db.rows('update account set banned_at = now(), closed_at = now() where id = $1', [who.id]);
      if (who !== proven)
        expect(codeOf(await world.post(`/v1/admin/accounts/${who.id}/ban`, {}, admin))).toBe('200');
      expect(await links.link(who.id, 1)).toBeUndefined();
    }
  });
});

describe('mails to the addresses of new accounts', () => {
  it('are few for one caller, who may enter the addresses of strangers', async () => {
    const mails = await new MailServer().start();
    const world = await World.start({ ...mails.env, RATE_LIMIT_SIGN_IN: '0' });
    const people: Browser[] = [];
    for (let n = 0; n < 23; n += 1) people.push(await Browser.unproven(world));
    await expectEventually(() =>
      people.slice(0, 20).every(({ email }) => mails.proofsTo(email).length === 1),
    );
    expect(codeOf(await people[0]!.post('/v1/account/address-proof/mail'))).toBe('429 RATE_LIMITED');
    expect(people.slice(20).flatMap(({ email }) => mails.proofsTo(email))).toEqual([]);
    await world.stop();
    await mails.stop();
  });
});

describe('without mail', () => {
  it('no address needs a proof', async () => {
    const world = await World.start();
    const ann = await Browser.unproven(world);
    expect((await ann.get('/v1/account')).body.proofDue).toBe(false);
    await ann.makeKey();
    expect(codeOf(await ann.post('/v1/account/address-proof/mail'))).toBe('409 NO_MAIL');
    await world.stop();
  });
});
