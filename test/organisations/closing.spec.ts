import { AccountFunds } from '#money/billing/ledger/account-funds';
import { creditsAccount } from '#money/billing/ledger/account-id';
import { micro } from '#kernel/money';
import { Browser } from '../support/browser';
import { expectEnvelope } from '../support/envelope';
import { World } from '../support/world';

const ADMIN = { authorization: 'Bearer an-admin-token-for-tests' };
const CHAT = { messages: [{ role: 'user', content: 'hello' }], max_tokens: 16 };

describe('the end of an organisation', () => {
  let world: World;
  let ann: Browser;
  let org: string;

  beforeAll(async () => {
    world = await World.start();
  });

  beforeEach(async () => {
    ann = await Browser.registered(world);
    org = await ann.founds();
    await world.app
      .get(AccountFunds, { strict: false })
      .topUp(creditsAccount(org), micro(1_000_000n), `test:${org}`);
  });

  afterEach(() => world.expectBooksToBalance());
  afterAll(() => world.stop());

  const url = () => `/v1/account/organisations/${org}/close`;
  const close = (who: Browser, leaveMicro: number, more: object = {}) =>
    who.post(url(), { password: who.password, leaveMicro, ...more });

  it('says first what is left, needs the owner’s proof, and ends keys, invites and memberships', async () => {
    const dev = await ann.colleague('developer');
    const { key } = await dev.makeKey();
    const reserve = { limitMicro: 300_000, reserve: true, expiresInSeconds: 600 };
    expect((await world.post('/v1/agent/keys', reserve, { 'x-api-key': key })).status).toBe(201);
    const open = await ann.invite({ role: 'viewer' });

    expect((await ann.get(url())).body).toEqual({
      id: org,
      name: 'Acme',
      leaveMicro: 1_000_000,
      otherMembers: 1,
      keys: 2,
    });
    expectEnvelope(await close(dev, 1_000_000), { status: 403, code: 'ROLE_REQUIRED' });
    expectEnvelope(await close(ann, 700_000), { status: 409, code: 'BALANCE_DIFFERS', param: 'leaveMicro' });
    expectEnvelope(await close(ann, 1_000_000, { password: 'not mine at all' }), {
      status: 401,
      code: 'INVALID_LOGIN',
      param: 'password',
    });
    expect((await world.post('/v1/agent/chat', CHAT, { 'x-api-key': key })).status).toBe(200);

    expect((await close(ann, 998_000)).body).toEqual({ ok: true, leftMicro: 998_000 });

    expect((await world.post('/v1/agent/chat', CHAT, { 'x-api-key': key })).status).toBe(401);
    expect((await dev.get('/v1/account')).status).toBe(404);
    expect((await ann.get('/v1/account')).status).not.toBe(200);
    for (const who of [ann, dev]) who.organisation = undefined;
    for (const who of [ann, dev]) {
      const { organisations } = (await who.get('/v1/account/organisations')).body;
      expect(organisations).toHaveLength(1);
    }
    expect((await dev.accept(open.body.inviteUrl as string)).status).toBe(410);
    const [account] = await world.db.rows<object>(
      'select balance_micro::integer as balance, reserved_micro::integer as reserved from ledger_account where id = $1',
      [creditsAccount(org)],
    );
    expect(account).toEqual({ balance: 998_000, reserved: 0 });

    // An operator opens the organisation again, for the owner alone. The audit continues.
    await world.post(`/v1/admin/accounts/${org}/unban`, {}, ADMIN);
    ann.organisation = org;
    expect((await ann.get(`/v1/account/organisations/${org}/members`)).body.members).toHaveLength(1);
    expect((await ann.get('/v1/account')).body.balanceMicro).toBe(998_000);
    const { entries } = (await ann.get(`/v1/account/organisations/${org}/audit`)).body;
    expect(entries[0]).toMatchObject({
      action: 'organisation.closed',
      who: { email: ann.email },
      text: 'deleted this organisation and left $0.998000 behind',
    });
  });

  it('is not that of a person’s own', async () => {
    org = ann.id;
    ann.organisation = ann.id;

    expectEnvelope(await ann.get(url()), { status: 409, code: 'LAST_OWNER' });
    expectEnvelope(await close(ann, 0), { status: 409, code: 'LAST_OWNER' });
  });

  it('happens once, if two owners ask for it at the same moment', async () => {
    const second = await ann.colleague('owner');

    const answers = await Promise.all([close(ann, 1_000_000), close(second, 1_000_000)]);

    expect(answers.filter(({ status }) => status === 200)).toHaveLength(1);
  });
});
