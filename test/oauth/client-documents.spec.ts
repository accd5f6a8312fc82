import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

import { SsrfGuard } from '#platform/http/outgoing/ssrf-guard';
import { Browser } from '../support/browser';
import { OauthBrowser, StrictApp } from '../support/oauth-browser';
import { OutsideHosts, PUBLIC_ADDRESS } from '../support/outside-hosts';
import { cloneDatabase } from '../support/postgres';
import { World } from '../support/world';

const ID = 'https://app.example/oauth/client.json';

describe('an app whose id is the address of its document', () => {
  let world: World;
  let database: string;
  let hosts: OutsideHosts;
  let browser: OauthBrowser;
  let person: Browser;
  let app: StrictApp;

  const documentOf = (clientId: string, more: object = {}): string =>
    JSON.stringify({
      client_id: clientId,
      client_name: 'Known App',
      redirect_uris: ['http://localhost:33418/callback', 'https://app.example/callback'],
      grant_types: ['authorization_code', 'refresh_token'],
      token_endpoint_auth_method: 'none',
      ...more,
    });

  beforeAll(async () => {
    hosts = await OutsideHosts.start();
    hosts.addresses.set('app.example', PUBLIC_ADDRESS).set('inside.example', '10.0.0.7');
    database = await cloneDatabase();
    world = await World.start({ DATABASE_URL: database }, (builder) =>
      builder.overrideProvider(SsrfGuard).useValue(hosts.guard()),
    );
    app = new StrictApp(world);
  });
  beforeEach(async () => {
    person = await Browser.registered(world);
    browser = new OauthBrowser(world, person.cookie['cookie']);
    hosts.answers.clear();
    hosts.dialled = 0;
  });
  afterAll(async () => {
    await world.stop();
    hosts.stop();
  });

  it('is known by its host, connects without a registration, and returns to any port of this machine', async () => {
    hosts.answers.set('/oauth/client.json', { body: documentOf(ID) });
    app.clientId = ID;
    const redirect_uri = 'http://localhost:40001/callback';

    const { answer, at } = await browser.open(app.authorizeUrl({ redirect_uri }));
    const url = new URL((await browser.decide(at, answer)).at);
    const tokens = await app.exchange(url.searchParams.get('code') ?? '', { redirect_uri });

    expect(String(answer.body)).toContain('<strong>app.example</strong> says that this is its app.');
    expect([url.port, tokens.status]).toEqual(['40001', 200]);
    expect((await app.refresh(tokens.body.refresh_token as string)).status).toBe(200);
    const { keys } = (await person.get('/v1/account/keys')).body;
    expect(keys[0].app).toEqual({ name: 'Known App', host: 'app.example' });
  });

  it('is refused in words by a process that cannot fetch its document', async () => {
    const clientId = 'https://app.example/gone.json';
    hosts.answers.set('/gone.json', { body: documentOf(clientId) });
    const { answer, at } = await browser.open(
      app.authorizeUrl({ client_id: clientId, redirect_uri: 'https://app.example/callback' }),
    );
    expect(answer.status).toBe(200);
    hosts.answers.clear();
    const second = await World.start({ DATABASE_URL: database }, (builder) =>
      builder.overrideProvider(SsrfGuard).useValue(hosts.guard()),
    );

    const shown = await browser.get(at, second);
    const decided = await browser.decide(at, answer, {}, {}, second);

    await second.stop();
    expect([shown.status, decided.answer.status]).toEqual([400, 400]);
    expect(String(shown.body)).toContain('This app could not connect');
  });

  const refusedAt = async (clientId: string): Promise<number> => {
    const url = app.authorizeUrl({ client_id: clientId, redirect_uri: 'https://app.example/callback' });
    const { answer, at } = await browser.open(url);
    expect(at.startsWith('/oauth/authorize')).toBe(true);
    return answer.status;
  };

  it.each([
    ['a private name', 'https://inside.example/client.json'],
    ['a private address', 'https://10.0.0.7/client.json'],
    ['this machine', 'https://127.0.0.1/client.json'],
    ['the address of the cloud', 'https://169.254.169.254/latest'],
    ['another port', 'https://app.example:8443/client.json'],
    ['no encryption', 'http://app.example/client.json'],
  ])('is not fetched from %s', async (_what, clientId) => {
    expect(await refusedAt(clientId)).toBe(400);
    expect(hosts.dialled).toBe(0);
  });

  it.each([
    ['names another id', documentOf('https://app.example/other.json'), 200],
    ['is missing', '', 404],
    ['is too long', documentOf('https://app.example/bad.json', { client_name: 'x'.repeat(20_000) }), 200],
    ['is no document', '<html></html>', 200],
    ['has no return address', documentOf('https://app.example/bad.json', { redirect_uris: [] }), 200],
  ])('is refused if its document %s', async (_what, body, status) => {
    hosts.answers.set('/bad.json', { body, status });

    expect(await refusedAt('https://app.example/bad.json')).toBe(400);
    expect(hosts.dialled).toBeGreaterThan(0);
  });

  it('gets a page that helps if its host does not answer', async () => {
    const { answer } = await browser.open(app.authorizeUrl({ client_id: 'https://gone.example/app.json' }));

    expect([answer.status, String(answer.body)]).toEqual([
      400,
      expect.stringContaining('this service could not read it there'),
    ]);
  });

  it('is refused if its document redirects', async () => {
    hosts.answers.set('/moved.json', {
      status: 302,
      body: '',
      location: 'https://inside.example/client.json',
    });

    expect(await refusedAt('https://app.example/moved.json')).toBe(400);
  });

  it('returns to no address that its document does not name', async () => {
    hosts.answers.set('/narrow.json', {
      body: documentOf('https://app.example/narrow.json', { redirect_uris: ['https://app.example/only'] }),
    });

    expect(await refusedAt('https://app.example/narrow.json')).toBe(400);
  });

  it('is refused if its document comes too slowly, and many documents at once wait no longer', async () => {
    const slow = createServer((_request, response) => {
      const timer = setInterval(() => response.write(' '), 500);
      response.once('close', () => clearInterval(timer));
    }).listen(0, '127.0.0.1');
    await once(slow, 'listening');
    hosts.leadsTo = (slow.address() as AddressInfo).port;
    const began = Date.now();

    const codes = await Promise.all(
      [1, 2, 3].map((one) => refusedAt(`https://app.example/slow/${one}.json`)),
    );

    hosts.leadsTo = undefined;
    slow.close();
    slow.closeAllConnections();
    expect(codes).toEqual([400, 400, 400]);
    // The library asks twice, for five seconds each.
    expect(Date.now() - began).toBeLessThan(15_000);
  });

  it('is fetched at most 20 times a minute for an address', async () => {
    for (let calls = 0; calls < 25; calls += 1) {
      const client_id = `https://app.example/flood/${calls}.json`;
      await app.token({ client_id, grant_type: 'refresh_token', refresh_token: 'a' });
    }

    expect(hosts.dialled).toBe(20);
  });
});
