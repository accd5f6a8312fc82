import { AccountFunds } from '#money/billing/ledger/account-funds';
import { creditsAccount } from '#money/billing/ledger/account-id';
import { micro } from '#kernel/money';
import { Browser } from '../support/browser';
import { MailServer } from '../support/mail-server';
import { OauthBrowser, StrictApp } from '../support/oauth-browser';
import { type Answer, World } from '../support/world';

describe('the page of consent', () => {
  let world: World;
  let app: StrictApp;
  let person: Browser;
  let browser: OauthBrowser;

  beforeAll(async () => {
    world = await World.start();
    app = new StrictApp(world);
    await app.register();
  });
  beforeEach(async () => {
    person = await Browser.registered(world);
    browser = new OauthBrowser(world, person.cookie['cookie']);
  });
  afterAll(() => world.stop());

  const open = (url = app.authorizeUrl()): Promise<{ answer: Answer; at: string }> => browser.open(url);
  const keysOf = async (by: Browser): Promise<readonly unknown[]> =>
    (await by.get('/v1/account/keys')).body.keys;

  it('says who asks, what for, where the answer goes, and what it may spend', async () => {
    await world.app
      .get(AccountFunds, { strict: false })
      .topUp(creditsAccount(person.id), micro(12_340_000n), `test:${person.id}`);

    const { answer } = await open(app.authorizeUrl({ scope: 'generate keys' }));

    const page = String(answer.body);
    expect(answer.status).toBe(200);
    for (const words of [
      'Let Strict App spend your credits?',
      'Nobody vouches for this name',
      'The answer goes to a program on your own computer (127.0.0.1:7777)',
      `$12.34 of ${person.email}`,
      'Make images, videos, audio and texts',
      'Make keys for other programs',
      'name="limit" inputmode="decimal" required value="5"',
      'name="days" inputmode="numeric" required value="7"',
      '>Allow Strict App</button>',
      '>Deny</button>',
    ])
      expect(page).toContain(words);
    expect(page).not.toContain('There are no credits yet');
    expect(page).not.toMatch(/<script|javascript:|\son[a-z]+=|style="/i);
  });

  it('says that there are no credits, and where to add some', async () => {
    const { answer } = await open();

    expect(String(answer.body)).toMatch(
      /There are no credits yet.*href="[^"]*\/account\/billing" target="_blank"/,
    );
  });

  it('cannot be framed, sends its origin, and may only be sent to us and to the app', async () => {
    const { headers } = (await open()).answer;

    expect(headers).toMatchObject({ 'referrer-policy': 'same-origin', 'x-frame-options': 'DENY' });
    expect(headers['content-security-policy']).toMatch(
      /^default-src 'none'; style-src 'sha256-[A-Za-z0-9+/=]{44}'; form-action 'self' http:\/\/127\.0\.0\.1:7777; base-uri 'none'; frame-ancestors 'none'$/,
    );
    expect(headers['cache-control']).toBe('no-store');
  });

  it('shows names as text, and no character that hides others', async () => {
    const nasty = new StrictApp(world);
    await nasty.register({ client_name: '<img src=x onerror=alert(1)>\u202e"&' });

    const { answer } = await open(nasty.authorizeUrl());

    expect(String(answer.body)).toContain('Let &lt;img src=x onerror=alert(1)&gt;&quot;&amp; spend');
    expect(String(answer.body)).not.toMatch(/<img|\u202e/);
  });

  it.each([
    ['no token', { token: '' }, {}],
    ['another token', { token: 'AAAAAAAAAAAAAAAAAAAAAA' }, {}],
    ['the origin of another site', {}, { origin: 'https://evil.example' }],
    ['the origin of no site', {}, { origin: 'null' }],
  ])('accepts no form with %s', async (_what, changes, headers) => {
    const { answer, at } = await open();

    for (const decision of ['allow', 'deny']) {
      const refused = await browser.decide(at, answer, { ...changes, decision }, headers);
      expect(refused.answer.status).toBe(403);
    }

    expect(await keysOf(person)).toEqual([]);
  });

  it('accepts no form that belongs to another sign-in', async () => {
    const first = await open();
    const second = await open();

    const refused = await browser.decide(second.at, first.answer);

    expect(refused.answer.status).toBe(403);
    expect((await browser.decide(second.at, second.answer)).at).toContain('code=');
  });

  it.each([
    [{ limit: '0' }, 'The limit must be'],
    [{ limit: '-5' }, 'The limit must be'],
    [{ limit: '10001' }, 'The limit must be'],
    [{ limit: 'all' }, 'The limit must be'],
    [{ days: '0' }, 'The days must be'],
    [{ days: '366' }, 'The days must be'],
    [{ days: '1.5' }, 'The days must be'],
  ])('asks again for %j, with what was written', async (changes, words) => {
    const { answer, at } = await open();

    const again = await browser.decide(at, answer, changes);

    expect(again.answer.status).toBe(400);
    const [value] = Object.values(changes);
    expect(String(again.answer.body)).toContain(words);
    expect(String(again.answer.body)).toContain(`value="${value}"`);
    expect(await keysOf(person)).toEqual([]);
  });

  it('offers the organisations in which the person may make keys, and no others', async () => {
    const organisation = await person.founds('Acme');
    const viewer = await person.colleague('viewer');
    const developer = await person.colleague('developer');
    const pageFor = async (who: Browser) => {
      const own = new OauthBrowser(world, who.cookie['cookie']);
      return { own, ...(await own.open(app.authorizeUrl())) };
    };

    const ofDeveloper = await pageFor(developer);
    const ofViewer = await pageFor(viewer);
    const stranger = await pageFor(await Browser.registered(world));

    expect(String(ofDeveloper.answer.body)).toContain('>$0.00 of Acme</option>');
    expect(String(ofViewer.answer.body)).not.toContain('Acme');
    const forced = await ofViewer.own.decide(ofViewer.at, ofViewer.answer, { organisation });
    expect(forced.answer.status).toBe(403);
    const foreign = await stranger.own.decide(stranger.at, stranger.answer, { organisation });
    expect(foreign.answer.status).toBe(404);
    expect((await ofDeveloper.own.decide(ofDeveloper.at, ofDeveloper.answer, { organisation })).at).toContain(
      'code=',
    );
    const { body } = await person.get(`/v1/account/organisations/${organisation}/audit`);
    expect(body.entries[0]).toMatchObject({
      action: 'key.made',
      text: expect.stringContaining('for the app'),
    });
  });

  it('lets nobody in whose account is closed', async () => {
    const { answer, at } = await open();
    await world.db.rows('update account set banned_at = now() where id = $1', [person.id]);

    const decided = await browser.decide(at, answer);
    const opened = await open();

    expect([decided.answer.status, opened.answer.status]).toEqual([401, 401]);
    expect(String(opened.answer.body)).toContain('This account is closed');
  });

  it('waits for the proof of an address', async () => {
    const mails = new MailServer();
    await mails.start();
    const mailing = await World.start(mails.env);
    const asking = new StrictApp(mailing);
    await asking.register();
    const unproven = await Browser.unproven(mailing);
    const own = new OauthBrowser(mailing, unproven.cookie['cookie']);
    const { answer, at } = await own.open(asking.authorizeUrl());

    const refused = await own.decide(at, answer);

    await mailing.stop();
    await mails.stop();
    expect(refused.answer.status).toBe(403);
    expect(await keysOf(person)).toEqual([]);
  });

  it('makes one key, however often its form is sent', async () => {
    const { answer, at } = await open();

    await Promise.all([browser.decide(at, answer), browser.decide(at, answer), browser.decide(at, answer)]);

    expect(await keysOf(person)).toHaveLength(1);
  });
});
