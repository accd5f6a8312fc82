import { AccountFunds } from '#money/billing/ledger/account-funds';
import { creditsAccount } from '#money/billing/ledger/account-id';
import { micro } from '#kernel/money';
import { Schedule } from '#platform/queue/schedule';
import { Browser } from '../support/browser';
import { expectEventually } from '../support/eventually';
import { OauthBrowser, StrictApp, askTools, chatBy, toolsOf } from '../support/oauth-browser';
import { World } from '../support/world';

const CHAT_MICRO = 2_000;

interface Tokens {
  readonly access: string;
  readonly refresh: string;
}

describe('a grant', () => {
  let world: World;
  let app: StrictApp;
  let person: Browser;

  beforeAll(async () => {
    world = await World.start();
    app = new StrictApp(world);
    await app.register();
  });
  beforeEach(async () => {
    person = await Browser.registered(world);
    await fund(person.id, 10_000_000n);
  });
  afterEach(() => world.expectBooksToBalance());
  afterAll(() => world.stop());

  const fund = (id: string, amount: bigint): Promise<unknown> =>
    world.app.get(AccountFunds, { strict: false }).topUp(creditsAccount(id), micro(amount), `test:${id}`);

  const connect = async (
    changes: Readonly<Record<string, string>> = {},
    scope?: string,
    by = person,
  ): Promise<Tokens> => {
    const { status, body } = await app.connect(new OauthBrowser(world, by.cookie['cookie']), changes, scope);
    expect(status).toBe(200);
    return { access: body.access_token as string, refresh: body.refresh_token as string };
  };
  const keysOf = async (by = person): Promise<readonly Record<string, unknown>[]> =>
    (await by.get('/v1/account/keys')).body.keys;
  const keyOf = async (by = person): Promise<Record<string, unknown>> => (await keysOf(by))[0]!;
  const expectEnded = async ({ access, refresh }: Tokens): Promise<void> => {
    // The notification that ends the key in the cache takes a moment.
    await expectEventually(async () => (await askTools(world, access, 'ping')).status === 401);
    expect((await app.refresh(refresh)).body).toMatchObject({ error: 'invalid_grant' });
  };

  it('is a key with the name of the app, a limit and an end, and its calls count against it', async () => {
    const { access } = await connect({ limit: '1.50', days: '2' });

    const { result } = await chatBy(world, access);

    expect(result?.['isError']).toBeUndefined();
    const key = await keyOf();
    expect(key).toMatchObject({
      name: 'Strict App',
      depth: 1,
      app: { name: 'Strict App', host: '127.0.0.1' },
      spendLimits: { totalMicro: 1_500_000 },
      spentMicro: CHAT_MICRO,
      requestCount: 1,
    });
    const seconds = (Date.parse(String(key['expiresAt'])) - Date.now()) / 1_000;
    expect(Math.abs(seconds - 2 * 86_400)).toBeLessThan(120);
  });

  it('has a limit of five dollars and seven days if the person changes nothing', async () => {
    await connect();

    const { spendLimits, expiresAt } = (await keyOf()) as { spendLimits: object; expiresAt: string };
    expect(spendLimits).toEqual({ totalMicro: 5_000_000 });
    expect(Math.abs(Date.parse(expiresAt) - Date.now() - 604_800_000)).toBeLessThan(120_000);
  });

  it('never spends more than its limit, however many calls come at once', async () => {
    const { access } = await connect({ limit: '0.005' });

    const answers = await Promise.all(Array.from({ length: 12 }, () => chatBy(world, access)));

    const refused = answers.filter(({ result }) => result?.['isError'] === true);
    expect(answers.map(({ status }) => status)).toEqual(answers.map(() => 200));
    expect(refused).toHaveLength(10);
    for (const { result } of refused) {
      expect(result?.['structuredContent']).toMatchObject({ error: { code: 'KEY_SPEND_LIMIT' } });
    }
    expect((await keyOf())['spentMicro']).toBe(2 * CHAT_MICRO);
  });

  it('works for the tools alone', async () => {
    const { access } = await connect({}, 'generate read keys');
    const asApp = { authorization: `Bearer ${access}` };

    expect((await askTools(world, access, 'ping')).status).toBe(200);
    const elsewhere = await Promise.all([
      world.get('/v1/agent/balance', asApp),
      world.get('/v1/agent/keys', asApp),
      world.get('/v1/account/keys', asApp),
      world.post('/v1/agent/keys', { limitMicro: 1, expiresInSeconds: 60 }, asApp),
      world.post('/v1/agent/chat', { messages: [{ role: 'user', content: 'x' }] }, asApp),
    ]);
    expect(elsewhere.map(({ status }) => status)).toEqual([401, 401, 401, 401, 401]);
  });

  it('shows and runs only the tools of its scopes', async () => {
    const generating = await connect();
    const reading = await connect({}, 'read');
    const all = await connect({}, 'generate references read keys');

    expect(await toolsOf(world, generating.access)).toEqual(
      expect.arrayContaining(['generate_image', 'generate_video', 'chat', 'quote', 'get_job', 'cancel_job']),
    );
    expect(await toolsOf(world, generating.access)).not.toContain('list_references');
    expect(await toolsOf(world, generating.access)).not.toContain('create_key');
    expect((await toolsOf(world, reading.access)).slice().sort()).toEqual(
      ['get_balance', 'get_job', 'list_jobs', 'list_models', 'quote', 'wait_for_job'].sort(),
    );
    expect(await toolsOf(world, all.access)).toEqual(
      expect.arrayContaining(['list_references', 'create_key', 'chat']),
    );
    const called = await chatBy(world, reading.access);
    expect(called.result?.['structuredContent']).toMatchObject({ error: { code: 'KEY_SCOPE' } });
  });

  it('is refused while its key is switched off, and goes on afterwards', async () => {
    const tokens = await connect();
    const key = await keyOf();

    await person.patch(`/v1/account/keys/${String(key['id'])}`, { enabled: false });
    const refused = await askTools(world, tokens.access, 'ping');
    expect([refused.status, refused.body.error.code]).toEqual([401, 'KEY_DISABLED']);
    expect((await app.refresh(tokens.refresh)).body.error).toBe('invalid_grant');

    await person.patch(`/v1/account/keys/${String(key['id'])}`, { enabled: true });
    expect((await askTools(world, tokens.access, 'ping')).status).toBe(200);
    expect((await app.refresh(tokens.refresh)).status).toBe(200);
  });

  it('ends with its key', async () => {
    const tokens = await connect();

    await person.delete(`/v1/account/keys/${String((await keyOf())['id'])}`);

    await expectEnded(tokens);
  });

  it('ends with the account of its person', async () => {
    const tokens = await connect();

    await world.db.rows('update account set banned_at = now() where id = $1', [person.id]);

    await expectEnded(tokens);
    await world.db.rows('update account set banned_at = null where id = $1', [person.id]);
  });

  it('of a removed member ends, and is paid by the organisation that was chosen', async () => {
    const organisation = await person.founds();
    await fund(organisation, 1_000_000n);
    const member = await person.colleague('developer');
    const tokens = await connect({ organisation }, undefined, member);
    expect((await chatBy(world, tokens.access)).result?.['isError']).toBeUndefined();
    expect(await keyOf()).toMatchObject({ app: { name: 'Strict App' }, madeBy: member.id });

    await person.delete(`/v1/account/organisations/${organisation}/members/${member.id}`);

    await expectEnded(tokens);
  });

  it('of a developer stays within the limits that an admin has set on their keys', async () => {
    const organisation = await person.founds();
    await fund(organisation, 1_000_000n);
    const member = await person.colleague('developer');
    const limited = await member.makeKey();
    const limits = { spendLimits: { totalMicro: 1 }, scopes: { priceMicroMax: CHAT_MICRO } };
    await person.patch(`/v1/account/keys/${limited.id}`, limits);

    const { access } = await connect({ organisation }, undefined, member);

    const { result } = await chatBy(world, access);
    expect(result?.['isError']).toBe(true);
    expect(JSON.stringify(result)).toContain('KEY_SPEND_LIMIT');
    expect(await keyOf()).toMatchObject({ scopes: { priceMicroMax: CHAT_MICRO } });
  });

  it('gives a new refresh token for the old one, and ends when the old one comes again', async () => {
    const first = await connect();
    const { body } = await app.refresh(first.refresh);
    const second: Tokens = { access: body.access_token, refresh: body.refresh_token };
    expect(second.refresh).not.toBe(first.refresh);
    expect((await askTools(world, second.access, 'ping')).status).toBe(200);

    const reused = await app.refresh(first.refresh);

    expect(reused.body).toMatchObject({ error: 'invalid_grant' });
    await expectEnded(second);
    await expectEnded(first);
    expect(await keysOf()).toEqual([]);
  });

  it('does not survive two uses of a refresh token at once', async () => {
    const { refresh } = await connect();

    const answers = await Promise.all(Array.from({ length: 6 }, () => app.refresh(refresh)));

    const given = answers.filter(({ status }) => status === 200);
    expect(given.length).toBeLessThanOrEqual(1);
    for (const { body } of given)
      await expectEnded({ access: body.access_token, refresh: body.refresh_token });
    expect(await keysOf()).toEqual([]);
  });

  it('belongs to its app: another can neither refresh nor revoke it', async () => {
    const tokens = await connect();
    const other = new StrictApp(world);
    await other.register();

    expect((await other.refresh(tokens.refresh)).body.error).toBe('invalid_grant');
    await revoke(tokens.refresh, other.clientId);
    expect((await askTools(world, tokens.access, 'ping')).status).toBe(200);
  });

  const revoke = (token: string, clientId = app.clientId) =>
    world.send({
      method: 'POST',
      url: '/oauth/revoke',
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
      payload: new URLSearchParams({ token, client_id: clientId }).toString(),
    });

  it('ends, with its key, when the app revokes it', async () => {
    const tokens = await connect();

    expect((await revoke(tokens.refresh)).status).toBe(200);

    await expectEnded(tokens);
    expect(await keysOf()).toEqual([]);
  });

  it('has a key whose secret nobody gets', async () => {
    await connect();
    const { id } = await keyOf();

    const { status, body } = await person.post(`/v1/account/keys/${String(id)}/rotate`, {
      overlapSeconds: 60,
    });

    expect([status, body.error.code, body.key]).toEqual([409, 'APP_KEY', undefined]);
  });

  it('is stored without any secret', async () => {
    const browser = new OauthBrowser(world, person.cookie['cookie']);
    const url = await browser.allow(app.authorizeUrl());
    const code = url.searchParams.get('code') ?? '';
    const { body } = await app.exchange(code);
    const more = await app.refresh(body.refresh_token as string);
    const secrets = [
      code,
      body.access_token,
      body.refresh_token,
      more.body.access_token,
      more.body.refresh_token,
    ];

    const rows = await world.db.rows<{ text: string }>('select oauth_row::text as text from oauth_row');
    const stored = rows.map(({ text }) => text).join('\n');

    expect(rows.length).toBeGreaterThan(0);
    for (const secret of secrets as string[]) {
      expect(secret.length).toBeGreaterThan(20);
      expect(stored).not.toContain(secret);
      expect(stored).not.toContain(Buffer.from(secret).toString('hex'));
    }
  });

  it('is the same in every process', async () => {
    const other = await World.start({ DATABASE_URL: world.settings.databaseUrl! });
    const url = await new OauthBrowser(world, person.cookie['cookie']).allow(app.authorizeUrl());
    const there = new StrictApp(other);
    Object.assign(there, { clientId: app.clientId, pkce: app.pkce });
    const { body } = await there.exchange(url.searchParams.get('code') ?? '');
    expect((await askTools(world, body.access_token, 'ping')).status).toBe(200);
    const again = await app.refresh(body.refresh_token as string);
    expect((await askTools(other, again.body.access_token, 'ping')).status).toBe(200);

    await person.delete(`/v1/account/keys/${String((await keyOf())['id'])}`);

    expect((await askTools(other, again.body.access_token, 'ping')).status).toBe(401);
    await other.stop();
  });

  it('leaves no rows behind, and neither does an app that nobody connects', async () => {
    const unused = new StrictApp(world);
    await unused.register();
    const { access } = await connect();
    const count = async (): Promise<Readonly<Record<string, number>>> => {
      const rows = await world.db.rows<{ kind: string; n: number }>(
        'select kind, count(*)::integer as n from oauth_row group by kind',
      );
      return Object.fromEntries(rows.map(({ kind, n }) => [kind, n]));
    };
    const clients = (await count())['Client']!;

    await world.db.rows(`update oauth_row set expires_at = expires_at - interval '25 hours'`);
    expect((await askTools(world, access, 'ping')).status).toBe(401);
    await world.app.get(Schedule, { strict: false }).processors.get('oauth')!.run();

    const left = await count();
    expect(left['AccessToken']).toBeUndefined();
    expect(left['Interaction']).toBeUndefined();
    expect(left['Client']).toBeLessThan(clients);
    expect((await new OauthBrowser(world).open(unused.authorizeUrl())).answer.status).toBe(400);
    await connect();
  });
});
