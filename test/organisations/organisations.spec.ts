import { AccountFunds } from '#money/billing/ledger/account-funds';
import { creditsAccount } from '#money/billing/ledger/account-id';
import { micro } from '#kernel/money';
import { Browser } from '../support/browser';
import { World } from '../support/world';

const CHAT = { messages: [{ role: 'user', content: 'hello' }], max_tokens: 16 };
/** The price of the calls below. */
const PRICE = 2_000;

describe('an organisation', () => {
  let world: World;
  let ann: Browser;
  let org: string;

  beforeAll(async () => {
    world = await World.start();
  });

  beforeEach(async () => {
    ann = await Browser.registered(world);
    org = await ann.founds('Acme Robots');
    await give(org, 100_000n);
  });

  afterEach(() => world.expectBooksToBalance());
  afterAll(() => world.stop());

  const give = (id: string, amount: bigint) =>
    world.app.get(AccountFunds, { strict: false }).topUp(creditsAccount(id), micro(amount), `test:${id}`);
  const at = (path: string) => `/v1/account/organisations/${org}/${path}`;
  const members = async () => (await ann.get(at('members'))).body.members as Record<string, unknown>[];
  const codeOf = (answer: {
    readonly status: number;
    readonly body: { readonly error: { readonly code: string } };
  }) => `${answer.status} ${answer.body.error.code}`;
  const chat = (key: string) => world.post('/v1/agent/chat', CHAT, { 'x-api-key': key });

  it('is beside the own one, which has the id of the account and its money', async () => {
    const { organisations } = (await ann.get('/v1/account/organisations')).body;

    expect(organisations).toEqual([
      {
        id: ann.id,
        name: ann.email,
        role: 'owner',
        personal: true,
        closed: false,
        createdAt: expect.any(String),
      },
      {
        id: org,
        name: 'Acme Robots',
        role: 'owner',
        personal: false,
        closed: false,
        createdAt: expect.any(String),
      },
    ]);
    const acting = (await ann.get('/v1/account')).body;
    expect(acting).toMatchObject({
      id: ann.id,
      email: ann.email,
      balanceMicro: 100_000,
      organisation: { id: org, name: 'Acme Robots', role: 'owner' },
    });
    ann.organisation = undefined;
    const own = (await ann.get('/v1/account')).body;
    expect(own).toMatchObject({ balanceMicro: 0, organisation: { id: ann.id, role: 'owner' } });
  });

  it('has one bill: what a developer makes by session and by key is paid by it, and seen by all', async () => {
    const dev = await ann.colleague('developer');
    const viewer = await ann.colleague('viewer');
    const { key } = await dev.makeKey();

    expect((await chat(key)).status).toBe(200);
    expect((await dev.post('/v1/agent/chat', CHAT)).status).toBe(200);

    expect((await viewer.get('/v1/account')).body.balanceMicro).toBe(100_000 - 2 * PRICE);
    expect((await viewer.get('/v1/account/usage')).body.spentMicro).toBe(2 * PRICE);
    expect((await viewer.get('/v1/agent/events')).body.events.length).toBeGreaterThan(0);
    dev.organisation = undefined;
    expect((await dev.post('/v1/agent/chat', CHAT)).status).toBe(402);
  });

  it('lets people in by a link, once, and lists who came', async () => {
    const bob = await Browser.registered(world);
    const invite = await ann.invite({ role: 'developer', email: bob.email.toUpperCase() });

    expect(invite).toMatchObject({
      status: 201,
      headers: { 'cache-control': 'no-store' },
      body: {
        role: 'developer',
        email: bob.email,
        invitedBy: ann.id,
        inviteUrl: expect.stringMatching(/\/account\/invites\/[\w-]{43}$/),
      },
    });
    const days = (Date.parse(invite.body.expiresAt) - Date.now()) / 86_400_000;
    expect(days).toBeGreaterThan(6.9);
    expect(days).toBeLessThanOrEqual(7.01);
    const { inviteUrl, ...listed } = invite.body;
    expect((await ann.get(at('invites'))).body.invites).toEqual([listed]);

    expect(await bob.accept(inviteUrl)).toMatchObject({
      status: 200,
      body: { organisation: { id: org, name: 'Acme Robots', role: 'developer', personal: false } },
    });
    expect((await ann.get(at('invites'))).body.invites).toEqual([]);
    expect(await members()).toMatchObject([
      { id: ann.id, email: ann.email, role: 'owner', closed: false },
      { id: bob.id, email: bob.email, role: 'developer', closed: false },
    ]);
  });

  it('takes no invite that was used, withdrawn, is old, for somebody else, or never was', async () => {
    const [bob, eve] = [await Browser.registered(world), await Browser.registered(world)];
    const used = (await ann.invite({ role: 'viewer' })).body;
    const named = (await ann.invite({ role: 'viewer', email: bob.email })).body;
    const withdrawn = (await ann.invite({ role: 'viewer' })).body;
    const old = (await ann.invite({ role: 'viewer' })).body;
    await ann.delete(at(`invites/${withdrawn.id}`));
    await world.db.rows(`update invite set expires_at = now() where id = $1`, [old.id]);

    expect(codeOf(await eve.accept(named.inviteUrl))).toBe('403 INVITE_ADDRESS');
    expect((await bob.accept(used.inviteUrl)).status).toBe(200);
    expect(codeOf(await eve.accept(used.inviteUrl))).toBe('410 INVITE_EXPIRED');
    expect(codeOf(await bob.accept(used.inviteUrl))).toBe('410 INVITE_EXPIRED');
    expect(codeOf(await eve.accept(withdrawn.inviteUrl))).toBe('410 INVITE_EXPIRED');
    expect(codeOf(await eve.accept(old.inviteUrl))).toBe('410 INVITE_EXPIRED');
    expect(codeOf(await eve.accept(`/${'A'.repeat(43)}`))).toBe('404 NOT_FOUND');
    expect(codeOf(await eve.accept('/nonsense'))).toBe('404 NOT_FOUND');
    expect(codeOf(await ann.delete(at(`invites/${used.id}`)))).toBe('404 NOT_FOUND');
    // A member who opens an invite does not use it up.
    const fresh = (await ann.invite({ role: 'owner' })).body;
    expect(codeOf(await bob.accept(fresh.inviteUrl))).toBe('409 ALREADY_MEMBER');
    expect((await eve.accept(fresh.inviteUrl)).status).toBe(200);
    expect(codeOf(await ann.invite({ role: 'viewer', email: bob.email }))).toBe('409 ALREADY_MEMBER');
  });

  it('answers what makes no sense with a sentence of its own', async () => {
    const admin = await ann.colleague('admin');
    const dev = await ann.colleague('developer');
    const eve = await Browser.registered(world);
    const give = (who: Browser, whom: Browser, role: string) => who.patch(at(`members/${whom.id}`), { role });

    expect(codeOf(await give(ann, ann, 'viewer'))).toBe('409 OWN_ROLE');
    expect(codeOf(await give(admin, admin, 'owner'))).toBe('409 OWN_ROLE');
    expect(codeOf(await give(admin, dev, 'owner'))).toBe('403 ROLE_REQUIRED');
    expect(codeOf(await give(admin, ann, 'viewer'))).toBe('403 ROLE_REQUIRED');
    expect(codeOf(await give(dev, admin, 'viewer'))).toBe('403 ROLE_REQUIRED');
    expect(codeOf(await give(ann, dev, 'king'))).toBe('400 INVALID_REQUEST');
    expect(codeOf(await give(ann, eve, 'viewer'))).toBe('404 NOT_FOUND');
    expect(codeOf(await admin.invite({ role: 'owner' }))).toBe('403 ROLE_REQUIRED');
    expect(codeOf(await ann.invite({ role: 'viewer', email: 'nobody at all' }))).toBe('400 INVALID_REQUEST');
    expect(codeOf(await admin.delete(at(`members/${ann.id}`)))).toBe('403 ROLE_REQUIRED');
    expect(codeOf(await dev.delete(at(`members/${admin.id}`)))).toBe('403 ROLE_REQUIRED');
    expect(codeOf(await ann.delete(at(`members/${ann.id}`)))).toBe('409 LAST_OWNER');
    expect(codeOf(await eve.get(at('members')))).toBe('404 NOT_FOUND');
    expect(codeOf(await ann.post('/v1/account/organisations', { name: '   ' }))).toBe('400 INVALID_REQUEST');
    ann.organisation = ann.id;
    org = ann.id;
    expect(codeOf(await ann.delete(at(`members/${ann.id}`)))).toBe('409 LAST_OWNER');
    const partner = await ann.colleague('owner');
    expect(codeOf(await give(partner, ann, 'viewer'))).toBe('409 LAST_OWNER');
    expect(codeOf(await partner.delete(at(`members/${ann.id}`)))).toBe('409 LAST_OWNER');
    expect((await partner.delete(at(`members/${partner.id}`))).status).toBe(200);
  });

  it('is left by an owner as soon as there is another', async () => {
    const bob = await ann.colleague('admin');

    expect((await ann.patch(at(`members/${bob.id}`), { role: 'owner' })).body).toMatchObject({
      id: bob.id,
      role: 'owner',
    });
    expect((await ann.delete(at(`members/${ann.id}`))).status).toBe(200);

    expect(codeOf(await ann.get(at('members')))).toBe('404 NOT_FOUND');
    expect(codeOf(await bob.delete(at(`members/${bob.id}`)))).toBe('409 LAST_OWNER');
  });

  it('shows developers the keys that they made and those below, and lets them touch no others', async () => {
    const [dev, other] = [await ann.colleague('developer'), await ann.colleague('developer')];
    const [own, foreign] = [await dev.makeKey(), await other.makeKey()];
    const below = await world.post(
      '/v1/agent/keys',
      { limitMicro: 1_000, expiresInSeconds: 60 },
      { 'x-api-key': own.key },
    );
    const handed = await other.post('/v1/agent/keys', { limitMicro: 1_000, expiresInSeconds: 60 });

    const seen = async (who: Browser) =>
      ((await who.get('/v1/account/keys')).body.keys as { id: string; madeBy: string }[]).map(
        ({ id, madeBy }) => [id, madeBy],
      );
    expect(await seen(dev)).toEqual([
      [below.body.id, dev.id],
      [own.id, dev.id],
    ]);
    expect(await seen(ann)).toHaveLength(4);
    expect((await dev.get('/v1/agent/keys')).body.keys).toHaveLength(1);
    for (const answer of [
      await dev.patch(`/v1/account/keys/${foreign.id}`, { enabled: false }),
      await dev.post(`/v1/account/keys/${foreign.id}/rotate`, { overlapSeconds: 0 }),
      await dev.delete(`/v1/account/keys/${foreign.id}`),
      await dev.delete(`/v1/agent/keys/${handed.body.id}`),
    ])
      expect(codeOf(answer)).toBe('404 NOT_FOUND');
    expect((await ann.patch(`/v1/account/keys/${foreign.id}`, { name: 'ours' })).body.name).toBe('ours');
  });

  it('ends the keys of who is removed or demoted; who enables one again answers for it', async () => {
    const dev = await ann.colleague('developer');
    const { id, key } = await dev.makeKey();
    const below = await world.post(
      '/v1/agent/keys',
      { limitMicro: 10_000, expiresInSeconds: 600 },
      { 'x-api-key': key },
    );
    const handed = await dev.post('/v1/agent/keys', { limitMicro: 10_000, expiresInSeconds: 600 });
    const keys = [key, below.body.key as string, handed.body.key as string];
    for (const one of keys) expect((await chat(one)).status).toBe(200);

    expect((await ann.patch(at(`members/${dev.id}`), { role: 'viewer' })).status).toBe(200);
    for (const one of keys) expect(codeOf(await chat(one))).toBe('401 KEY_DISABLED');
    await ann.patch(at(`members/${dev.id}`), { role: 'developer' });
    expect(codeOf(await chat(key))).toBe('401 KEY_DISABLED');
    expect((await dev.patch(`/v1/account/keys/${id}`, { enabled: true })).body).toMatchObject({
      state: 'active',
      madeBy: dev.id,
    });
    expect((await chat(below.body.key as string)).status).toBe(200);

    expect((await ann.delete(at(`members/${dev.id}`))).status).toBe(200);
    expect(codeOf(await chat(key))).toBe('401 KEY_DISABLED');
    expect((await ann.patch(`/v1/account/keys/${id}`, { enabled: true })).body).toMatchObject({
      state: 'active',
      madeBy: ann.id,
    });
    expect((await chat(key)).status).toBe(200);
  });

  it('lists actor, action, object and origin in words, and as a file', async () => {
    const bob = await ann.colleague('admin');
    const { id } = await bob.makeKey({ name: '=cmd, "the" bot' });
    await bob.patch(`/v1/account/keys/${id}`, { enabled: false });
    await bob.post('/v1/account/billing/top-up', { usd: 12.5 });
    await ann.patch(at(`members/${bob.id}`), { role: 'viewer' });
    await ann.delete(at(`members/${bob.id}`));

    const { entries, nextCursor } = (await ann.get(at('audit'))).body as {
      entries: { text: string; who: { email: string }; ip: string; at: string; subject?: string }[];
      nextCursor: null;
    };
    expect(entries.map(({ who, text }) => `${who.email === ann.email ? 'ann' : 'bob'} ${text}`)).toEqual([
      `ann removed ${bob.email}`,
      `ann gave ${bob.email} the role viewer`,
      'bob opened a checkout over $12.5',
      'bob changed enabled of the key =cmd, "the" bot',
      'bob made the key =cmd, "the" bot',
      'bob joined as admin',
      'ann invited anyone with the link as admin',
      'ann made this organisation, Acme Robots',
    ]);
    expect(nextCursor).toBeNull();
    expect(entries[4]).toMatchObject({ subject: id, ip: '127.0.0.1', at: expect.stringMatching(/Z$/) });
    const page = (await ann.get(at(`audit?limit=2&member=${bob.id}`))).body;
    expect(page.entries).toHaveLength(2);
    const next = (await ann.get(at(`audit?limit=50&member=${bob.id}&cursor=${page.nextCursor}`))).body;
    expect(next.entries).toHaveLength(2);
    expect((await ann.get(at('audit?action=key.made'))).body.entries).toHaveLength(1);
    expect(codeOf(await ann.get(at('audit?action=treason')))).toBe('400 INVALID_REQUEST');
    const csv = await ann.get(at('audit.csv?action=key.made'));
    expect(csv.headers['content-type']).toBe('text/csv; charset=utf-8');
    expect(csv.body).toContain('"made the key =cmd, ""the"" bot"');
    // A refused action has no effect.
    await ann.delete(at('members/nobody'));
    expect((await ann.get(at('audit'))).body.entries).toHaveLength(8);
    await expect(world.db.rows('delete from organisation_audit')).rejects.toThrow('append-only');
  });

  it('has webhooks, alerts and a checkout of its own', async () => {
    const billing = await ann.colleague('billing');

    expect((await billing.post('/v1/account/billing/top-up', { usd: 5 })).status).toBe(201);
    expect(
      (await billing.send('PUT', '/v1/account/alerts', { balanceLowMicro: 7 })).body.balanceLowMicro,
    ).toBe(7);
    const hook = await ann.post('/v1/agent/webhooks', { url: 'https://example.com/hook' });
    expect(hook.status).toBe(201);
    expect((await billing.get('/v1/agent/webhooks')).body.webhooks).toHaveLength(1);
    expect((await ann.get(at('audit?limit=1'))).body.entries[0].text).toBe(
      'made a webhook to https://example.com/hook',
    );
    ann.organisation = undefined;
    expect((await ann.get('/v1/agent/webhooks')).body.webhooks).toEqual([]);
    expect((await ann.get('/v1/account/alerts')).body.balanceLowMicro).toBe(1_000_000);
  });

  it('is an account to operators: credited, closed and opened again', async () => {
    const dev = await ann.colleague('developer');
    const { key } = await dev.makeKey();
    const operator = { authorization: `Bearer ${world.settings.admins[0]!.token}` };

    const closed = await world.post(`/v1/admin/accounts/${org}/ban`, {}, operator);
    expect(closed.body).toMatchObject({ id: org, name: 'Acme Robots', balanceMicro: 100_000 });
    expect(codeOf(await chat(key))).toBe('401 ACCOUNT_BANNED');
    expect(codeOf(await dev.get('/v1/account'))).toBe('401 ACCOUNT_BANNED');
    expect((await dev.get('/v1/account/organisations')).body.organisations[1].closed).toBe(true);
    await world.post(`/v1/admin/accounts/${org}/unban`, {}, operator);
    expect((await chat(key)).status).toBe(200);
  });

  it('is one of twenty that a person may own, and has a hundred members and invites', async () => {
    for (let owned = 2; owned < 20; owned += 1)
      await ann.post('/v1/account/organisations', { name: 'one more' });
    expect(codeOf(await ann.post('/v1/account/organisations', { name: 'too many' }))).toBe(
      '409 TOO_MANY_ORGANISATIONS',
    );
    await world.db.rows(
      `insert into invite (id, organisation_id, token_hash, role, invited_by, expires_at)
       select 'inv_' || $1 || n, $1, sha256(($1 || n)::bytea), 'viewer', $2, now() + interval '1 day'
       from generate_series(1, 99) as n`,
      [org, ann.id],
    );
    expect(codeOf(await ann.invite({ role: 'viewer' }))).toBe('409 TOO_MANY_MEMBERS');
  });
});
