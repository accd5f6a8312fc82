import { Browser } from '../support/browser';
import { OauthBrowser, StrictApp } from '../support/oauth-browser';
import { type Answer, World } from '../support/world';

describe('the sign-in of an app', () => {
  let world: World;
  let app: StrictApp;
  let person: Browser;
  let browser: OauthBrowser;

  beforeAll(async () => {
    world = await World.start();
    app = new StrictApp(world);
    await app.register();
    person = await Browser.registered(world);
  });
  beforeEach(() => {
    browser = new OauthBrowser(world, person.cookie['cookie']);
  });
  afterAll(() => world.stop());

  const codeBy = async (url = app.authorizeUrl()): Promise<string> =>
    (await browser.allow(url)).searchParams.get('code') ?? '';
  const errorOf = async (url: string): Promise<string | null> => {
    const { searchParams, hash } = new URL((await browser.open(url)).at, 'http://none');
    return searchParams.get('error') ?? new URLSearchParams(hash.slice(1)).get('error');
  };
  const pageOf = async (url: string): Promise<Answer> => (await browser.open(url)).answer;

  it('registers as a public app, whatever it asks for', async () => {
    const { status, body } = await new StrictApp(world).register({
      token_endpoint_auth_method: 'client_secret_post',
      grant_types: ['authorization_code', 'refresh_token', 'client_credentials'],
      scope: 'claudeai',
      jwks: { keys: [] },
    });

    expect(status).toBe(201);
    expect(body).toMatchObject({
      token_endpoint_auth_method: 'none',
      grant_types: ['authorization_code', 'refresh_token'],
    });
    expect(body.client_secret).toBeUndefined();
    expect(body.registration_access_token).toBeUndefined();
  });

  it.each([
    ['a site without encryption', 'http://app.example/callback'],
    ['a script', 'javascript:alert(1)'],
    ['data', 'data:text/html,hello'],
    ['a fragment', 'https://app.example/callback#here'],
    ['no address', 'callback'],
  ])('does not register to return to %s', async (_what, uri) => {
    const { status, body } = await new StrictApp(world).register({ redirect_uris: [uri] });

    expect([status, body.error]).toEqual([
      400,
      expect.stringMatching(/^invalid_(redirect_uri|client_metadata)$/),
    ]);
  });

  it('returns the code with the state and the issuer, and the code is good for tokens', async () => {
    const url = await browser.allow(app.authorizeUrl());
    const { status, body, headers } = await app.exchange(url.searchParams.get('code') ?? '');

    expect(`${url.origin}${url.pathname}`).toBe(app.redirect);
    expect(Object.fromEntries(url.searchParams)).toMatchObject({
      state: 'a-state',
      iss: world.settings.http.publicUrl,
    });
    expect([status, headers['cache-control']]).toEqual([200, 'no-store']);
    expect(body).toMatchObject({ token_type: 'Bearer', expires_in: 600, scope: 'generate' });
    expect(body.id_token).toBeUndefined();
    expect(Object.keys(body).sort()).toEqual(
      ['access_token', 'expires_in', 'refresh_token', 'scope', 'token_type'].sort(),
    );
  });

  it('returns to any port of this machine, and to no other path', async () => {
    const redirect_uri = 'http://127.0.0.1:50123/callback';
    const url = await browser.allow(app.authorizeUrl({ redirect_uri }));

    expect(url.port).toBe('50123');
    const { status } = await app.exchange(url.searchParams.get('code') ?? '', { redirect_uri });
    expect(status).toBe(200);
    const other = await browser.open(app.authorizeUrl({ redirect_uri: 'http://127.0.0.1:50123/other' }));
    expect([other.answer.status, other.at.startsWith('/oauth/authorize')]).toEqual([400, true]);
  });

  it.each([
    ['another site', { redirect_uri: 'https://evil.example/callback' }],
    ['an app that is not registered', { client_id: 'nobody' }],
    ['no app', { client_id: undefined }],
  ])('never redirects for %s', async (_what, changes) => {
    const { answer, at } = await browser.open(app.authorizeUrl(changes));

    expect([answer.status, at.startsWith('/oauth/authorize')]).toEqual([400, true]);
    expect(String(answer.body)).toContain('This app could not connect');
    expect(answer.headers['content-security-policy']).toContain("frame-ancestors 'none'");
  });

  it('says to a person that it does not know the app', async () => {
    const page = await pageOf(app.authorizeUrl({ client_id: 'nobody' }));

    expect(String(page.body)).toContain('This service does not know the app.');
  });

  it.each([
    ['no challenge', { code_challenge: undefined, code_challenge_method: undefined }, 'invalid_request'],
    ['a plain challenge', { code_challenge_method: 'plain' }, 'invalid_request'],
    ['a challenge without its method', { code_challenge_method: undefined }, 'invalid_request'],
    ['another resource', { resource: 'https://other.example/mcp' }, 'invalid_target'],
    ['an implicit token', { response_type: 'token' }, 'unsupported_response_type'],
  ])('refuses %s', async (_what, changes, error) => {
    expect(await errorOf(app.authorizeUrl(changes))).toBe(error);
  });

  it.each([
    ['another verifier', { code_verifier: 'x'.repeat(43) }, 'invalid_grant'],
    ['no verifier', { code_verifier: undefined }, 'invalid_grant'],
    ['another return address', { redirect_uri: 'http://127.0.0.1:1/callback' }, 'invalid_grant'],
    ['another resource', { resource: 'https://other.example/mcp' }, 'invalid_target'],
    ['another app', { client_id: 'nobody' }, 'invalid_client'],
  ])('gives no token for %s', async (_what, changes, error) => {
    const { status, body } = await app.exchange(await codeBy(), changes);

    expect([status >= 400, body.error]).toEqual([true, error]);
  });

  it('gives no token to another app that has the code', async () => {
    const thief = new StrictApp(world);
    await thief.register();
    const { body } = await thief.exchange(await codeBy(), { code_verifier: app.pkce.verifier });

    expect(body.error).toBe('invalid_grant');
  });

  it.each([
    [undefined, 'generate'],
    ['openid profile email', 'generate'],
    ['read', 'read'],
    ['references generate openid', 'references generate'],
    ['generate keys', 'generate keys'],
  ])('grants for the scope %s the scope %s', async (asked, granted) => {
    const { body } = await app.connect(browser, {}, asked);

    expect(body.scope).toBe(granted);
  });

  it('also works for clients that send parameters of OpenID Connect, and none of the resource', async () => {
    const url = app.authorizeUrl({ resource: undefined, prompt: 'login', nonce: 'n', max_age: '1' });
    const { status, body } = await app.exchange(await codeBy(url), { resource: undefined });

    expect([status, body.scope]).toEqual([200, 'generate']);
  });

  it('says no to the app if the person does', async () => {
    const { answer, at } = await browser.open(app.authorizeUrl());
    const denied = new URL((await browser.decide(at, answer, { decision: 'deny' })).at);

    expect(Object.fromEntries(denied.searchParams)).toMatchObject({
      error: 'access_denied',
      state: 'a-state',
      iss: world.settings.http.publicUrl,
    });
  });

  it('asks a stranger to sign in first, and comes back', async () => {
    const stranger = new OauthBrowser(world);
    const { at } = await stranger.open(app.authorizeUrl());

    expect(at).toMatch(/^\/account\/sign-in\?next=oauth%2Fconsent%2F/);
  });

  it('belongs to the browser in which it began', async () => {
    const { at } = await browser.open(app.authorizeUrl());
    const other = new OauthBrowser(world, (await Browser.registered(world)).cookie['cookie']);

    const { answer } = await other.open(at);

    expect(answer.status).toBe(400);
    expect(String(answer.body)).toContain('This sign-in has ended');
  });

  it('works again at once in the same browser, for the same app and for another', async () => {
    const other = new StrictApp(world);
    await other.register();

    for (const one of [app, app, other]) expect((await one.connect(browser)).status).toBe(200);
  });

  it('is decided once', async () => {
    const { answer, at } = await browser.open(app.authorizeUrl());
    await browser.decide(at, answer);

    const again = await browser.decide(at, answer);

    expect(again.answer.status).toBe(400);
    expect(String((await pageOf(at)).body)).toContain('This sign-in has ended');
  });

  it('gives tokens once for a code that comes many times at once, and nothing stays of the grant', async () => {
    const code = await codeBy();

    const answers = await Promise.all(Array.from({ length: 6 }, () => app.exchange(code)));

    const given = answers.filter(({ status }) => status === 200);
    expect(given.length).toBeLessThanOrEqual(1);
    for (const { body } of given)
      expect((await app.refresh(body.refresh_token as string)).body).toMatchObject({
        error: 'invalid_grant',
      });
    expect(answers.every(({ status }) => status < 500)).toBe(true);
  });

  it('gives the same code once, and a second use ends the grant', async () => {
    const code = await codeBy();
    const first = await app.exchange(code);
    const second = await app.exchange(code);

    expect([first.status, second.body.error]).toEqual([200, 'invalid_grant']);
    expect((await app.refresh(first.body.refresh_token)).body.error).toBe('invalid_grant');
  });

  it('registers at most 20 apps an hour for an address', async () => {
    const own = await World.start();
    const answers = [];
    for (let n = 0; n < 21; n += 1) answers.push(await new StrictApp(own).register());
    await own.stop();

    expect(answers.map(({ status }) => status)).toEqual([...Array<number>(20).fill(201), 429]);
  });
});
