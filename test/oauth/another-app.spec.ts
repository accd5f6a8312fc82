import { AccountFunds } from '#money/billing/ledger/account-funds';
import { creditsAccount } from '#money/billing/ledger/account-id';
import { micro } from '#kernel/money';
import { Browser } from '../support/browser';
import { expectEventually } from '../support/eventually';
import { OauthBrowser, StrictApp, askTools } from '../support/oauth-browser';
import { type Answer, World } from '../support/world';

/** Two apps of one person, of which one wants what belongs to the other. */
describe('an app next to another of the same person', () => {
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
    const funds = world.app.get(AccountFunds, { strict: false });
    await funds.topUp(creditsAccount(person.id), micro(20_000_000n), `test:${person.id}`);
  });
  afterEach(() => world.expectBooksToBalance());
  afterAll(() => world.stop());

  const connected = async (scope = 'generate', by = person, changes: Record<string, string> = {}) => {
    const { body } = await app.connect(new OauthBrowser(world, by.cookie['cookie']), changes, scope);
    return { access: body.access_token as string, refresh: body.refresh_token as string };
  };
  const call = async (token: string, name: string, given: object = {}) =>
    (await askTools(world, token, 'tools/call', { name, arguments: given }))
      .result as unknown as Answer['body'];

  it('lists and cancels none of its jobs', async () => {
    const [one, two] = [await connected(), await connected()];
    const { structuredContent } = await call(one.access, 'generate_video', {
      prompt: 'A red fox [[delay 600s]]',
      duration: 4,
      waitSeconds: 0,
    });
    const { jobId } = structuredContent;
    expect(jobId).toEqual(expect.any(String));

    // Anybody who knows the id of a job may look at it.
    expect((await call(two.access, 'get_job', { jobId })).structuredContent.status).toBe('running');
    expect((await call(two.access, 'cancel_job', { jobId })).isError).toBe(true);
    expect((await call(two.access, 'wait_for_job', { jobId, waitSeconds: 0 })).structuredContent.status).toBe(
      'running',
    );
    expect((await call(two.access, 'list_jobs')).structuredContent.jobs).toEqual([]);
    expect((await call(one.access, 'list_jobs')).structuredContent.jobs).toHaveLength(1);

    expect((await call(one.access, 'cancel_job', { jobId })).isError).toBeUndefined();
    await expectEventually(
      async () => (await call(one.access, 'get_balance')).structuredContent.balanceMicro === 5_000_000,
    );
  });

  it('sees nothing of the account: no transactions, no keys of others, no more money than its limit', async () => {
    await connected('generate keys');
    const two = await connected('generate read keys');

    const balance = (await call(two.access, 'get_balance')).structuredContent;
    expect(balance).toMatchObject({ balanceMicro: 5_000_000 });
    expect(balance['transactions'] ?? []).toEqual([]);
    expect((await call(two.access, 'list_keys')).structuredContent.keys).toEqual([]);
  });

  it('makes only keys that are as narrow as it is, and they end with it', async () => {
    const one = await connected('generate keys');
    const wider = await call(one.access, 'create_key', { scopes: { routes: ['references'] } });
    const more = await call(one.access, 'create_key', { limitMicro: 50_000_000, reserve: true });
    const longer = await call(one.access, 'create_key', { expiresInSeconds: 8 * 86_400 });
    const { structuredContent: child } = await call(one.access, 'create_key', {});

    expect([wider.isError, more.isError, longer.isError]).toEqual([true, true, true]);
    const asChild = { 'x-api-key': child.key as string };
    expect((await world.get('/v1/agent/balance', asChild)).status).toBe(200);
    expect((await world.get('/v1/agent/references', asChild)).status).toBe(403);
    expect((await world.get('/v1/agent/webhooks', asChild)).status).toBeGreaterThanOrEqual(400);
    const { keys } = (await person.get('/v1/account/keys')).body;
    const own = (keys as { id: string; app?: object }[]).find((key) => key.app !== undefined);
    await person.delete(`/v1/account/keys/${own!.id}`);
    await expectEventually(async () => (await world.get('/v1/agent/balance', asChild)).status === 401);
    expect((await askTools(world, one.access, 'ping')).status).toBe(401);
    expect((await app.refresh(one.refresh)).body).toMatchObject({ error: 'invalid_grant' });
  });

  it.each([
    [
      'a refresh token',
      (tokens: { access: string; refresh: string }) => ({ authorization: `Bearer ${tokens.refresh}` }),
    ],
    ['a token as a key', (tokens: { access: string }) => ({ 'x-api-key': tokens.access })],
    [
      'a token behind another scheme',
      (tokens: { access: string }) => ({ authorization: `Basic ${tokens.access}` }),
    ],
    [
      'a token in another case',
      (tokens: { access: string }) => ({ authorization: `Bearer ${tokens.access.toUpperCase()}` }),
    ],
  ])('gets no access by %s', async (_what, headersOf) => {
    const tokens = await connected();
    const { status } = await world.post(
      '/mcp',
      { jsonrpc: '2.0', id: 1, method: 'ping' },
      { accept: 'application/json, text/event-stream', ...headersOf(tokens) },
    );
    expect(status).toBe(401);
  });

  it('pays by its own key at the address for wallets, and an ended token pays nothing there', async () => {
    const one = await connected();
    const chat = (authorization: string) =>
      world.post(
        '/mcp?payment=x402',
        {
          jsonrpc: '2.0',
          id: 1,
          method: 'tools/call',
          params: {
            name: 'chat',
            arguments: { messages: [{ role: 'user', content: 'Hi.' }], max_tokens: 16 },
          },
        },
        { accept: 'application/json, text/event-stream', authorization },
      );
    expect(String((await chat(`Bearer ${one.access}`)).body)).not.toContain('isError');
    const [key] = (await person.get('/v1/account/keys')).body.keys;
    expect(key.spentMicro).toBe(2_000);
    await person.patch(`/v1/account/keys/${key.id}`, { enabled: false });
    await expectEventually(async () => (await askTools(world, one.access, 'ping')).status === 401);

    expect(String((await chat(`Bearer ${one.access}`)).body)).toContain('KEY_DISABLED');
    await person.delete(`/v1/account/keys/${key.id}`);
    expect(String((await chat(`Bearer ${one.access}`)).body)).toContain('"isError":true');
  });

  it('ends when its person may make keys no more', async () => {
    const organisation = await person.founds('Acme');
    const member = await person.colleague('developer');
    const one = await connected('generate', member, { organisation });
    expect((await askTools(world, one.access, 'ping')).status).toBe(200);

    const demoted = await person.patch(`/v1/account/organisations/${organisation}/members/${member.id}`, {
      role: 'viewer',
    });

    expect(demoted.status).toBe(200);
    await expectEventually(async () => (await askTools(world, one.access, 'ping')).status === 401);
    expect((await app.refresh(one.refresh)).body).toMatchObject({ error: 'invalid_grant' });
  });

  it.each(['.', '..', '%2e%2e', '../keys', '\u0000', '\ud83d', '', 'x'.repeat(1_000)])(
    'reaches no other route by the id %j',
    async (id) => {
      const one = await connected('generate references read keys');
      const answers = await Promise.all([
        call(one.access, 'get_job', { jobId: id }),
        call(one.access, 'cancel_job', { jobId: id }),
        call(one.access, 'delete_reference', { id }),
        call(one.access, 'revoke_key', { id }),
        call(one.access, 'get_balance', { wallet: id }),
      ]);

      const codes = answers.map(({ isError, structuredContent }) =>
        isError === true ? structuredContent.error.code : structuredContent,
      );
      for (const code of codes)
        expect(['NOT_FOUND', 'INVALID_REQUEST', 'METHOD_NOT_ALLOWED']).toContain(code);
    },
  );
});
