import { Browser } from '../support/browser';
import { OauthBrowser, StrictApp } from '../support/oauth-browser';
import { World } from '../support/world';

const REDIRECT = 'http://127.0.0.1:7777/callback';

/** Texts that Postgres does not store, or that lie to the eye. */
describe('hostile texts of an app or of a form', () => {
  let world: World;
  let browser: OauthBrowser;

  beforeAll(async () => {
    world = await World.start({ TRUSTED_PROXIES: '127.0.0.1' });
    const person = await Browser.registered(world);
    browser = new OauthBrowser(world, person.cookie['cookie']);
  });
  afterAll(() => world.stop());

  let callers = 0;
  const registered = (fields: object) => {
    callers += 1;
    return world.post(
      '/oauth/register',
      { redirect_uris: [REDIRECT], ...fields },
      {
        'x-forwarded-for': `198.51.100.${callers}`,
      },
    );
  };
  const opened = async (fields: object, redirect_uri = REDIRECT) => {
    const app = new StrictApp(world);
    app.clientId = String((await registered(fields)).body.client_id);
    return browser.open(app.authorizeUrl({ redirect_uri }));
  };

  it.each([
    ['a name with U+0000', { client_name: 'a\u0000b' }],
    ['a name with half a character', { client_name: 'a\ud83d' }],
    ['an address with U+0000', { redirect_uris: ['http://127.0.0.1/\u0000'] }],
    ['an address with half a character', { redirect_uris: ['com.example:/\ud83d'] }],
  ])('refuses %s', async (_what, fields) => {
    expect((await registered(fields)).status).toBe(400);
  });

  it.each([
    ['is cut inside of a character', `${'a'.repeat(79)}\u{1f600}`, 'a'.repeat(79)],
    ['is blank', '\u3164\u2800\u200b', '127.0.0.1'],
    ['has lines of its own', 'One\u2028\u2029Two\u00a0\u00a0Three', 'One Two Three'],
    ['covers other lines', `a${'\u0301'.repeat(70)}b`, 'a\u0301\u0301b'],
  ])('shows and stores a name that %s', async (_what, client_name, shown) => {
    const { answer, at } = await opened({ client_name });

    expect(String(answer.body)).toContain(`<h1>Let ${shown} spend your credits?</h1>`);
    expect((await browser.decide(at, answer)).at).toContain('code=');
  });

  it('does not take a site for a program on the own computer', async () => {
    const site = 'https://127.evil.example/callback';

    const { answer } = await opened({ redirect_uris: [site] }, site);

    expect(String(answer.body)).toContain('The answer goes to <strong>127.evil.example</strong>.');
  });

  it('breaks long hosts, so that their end is seen', async () => {
    const { answer } = await opened({});

    expect(String(answer.body)).toMatch(/body \{[^}]*overflow-wrap: anywhere/);
  });

  it('knows no organisation with U+0000 in its id', async () => {
    const { answer: page, at } = await opened({});

    const { answer } = await browser.decide(at, page, { organisation: '\u0000' });

    expect(answer.status).toBe(404);
  });
});
