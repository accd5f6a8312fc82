import { PAGES } from '#faces/console/pages';
import { Browser } from '../support/browser';
import { World } from '../support/world';

const ADMIN_TOKEN = 'an-admin-token-for-tests';

describe('a page, as it is sent', () => {
  let world: World;

  beforeAll(async () => {
    world = await World.start({ PUBLIC_URL: 'https://example.com/lamp' });
  });
  afterAll(() => world.stop());

  it('leaves nothing but our own address to the browser, and no script that we did not write', async () => {
    const answer = await world.get('/');
    const policy = String(answer.headers['content-security-policy']);

    expect(policy).toContain("default-src 'none'");
    expect(policy).toMatch(/script-src 'self'( 'sha256-[\w+/=]{44}'){2};/);
    expect(policy).toContain("require-trusted-types-for 'script'");
    expect(policy).not.toMatch(/unsafe|https?:|\*/);
  });

  it('is that of the models for a visitor who asks for the pricing, also below a path', async () => {
    const { status, headers } = await world.get('/pricing');
    expect([status, headers.location]).toEqual([302, 'models']);
    for (const [asked, led] of [
      ['/pricing', '/models'],
      ['/pricing/', '/models'],
      ['/pricing/?from=/a/', '/models'],
      ['/pricing?from=/a/', '/models'],
    ] as const) {
      const { location } = (await world.get(asked)).headers;
      expect([asked, new URL(String(location), `https://a.example/shop${asked}`).pathname]).toEqual([
        asked,
        `/shop${led}`,
      ]);
    }
  });

  it('finds what it loads below the path of the service, to be kept for ever', async () => {
    const answer = await world.get('/');
    const entry = /<script type="module" src="([^"]+)">/.exec(answer.body)?.[1] ?? '';
    const file = await world.get(`/${entry}`);

    expect(answer.body).toContain('<base href="/lamp/">');
    expect(entry).toMatch(/^assets\/[0-9a-f]{12}\/start\/landing\.page\.js$/);
    expect([file.status, file.headers['content-type']]).toEqual([200, 'text/javascript; charset=utf-8']);
    expect(file.headers['cache-control']).toBe('public, max-age=31536000, immutable');
  });

  it('names everything that its modules import, so that a browser need not find out step by step', async () => {
    const answer = await world.get('/account/sign-in');
    const named = [...answer.body.matchAll(/rel="modulepreload" href="assets\/\w+\/([^"]+)"/g)].map(
      ([, name]) => String(name),
    );

    expect(new Set(named)).toEqual(
      new Set([
        'parts/allowed.js',
        'parts/api.js',
        'account/entrance.js',
        'parts/format.js',
        'library/preact.js',
        'library/preact/hooks.js',
        'library/preact/jsx-runtime.js',
        'parts/live-events.js',
        'parts/organisation.js',
        'account/sign-in.page.js',
        'account/passkey.js',
        'account/proof.js',
        'parts/shell.js',
        'parts/ui.js',
        'parts/use.js',
      ]),
    );
  });

  it.each([
    'assets/x/../../package.json',
    'assets/x/%2e%2e/%2e%2e/package.json',
    'assets/x/api.types.ts',
    'assets/x/nothing.js',
  ])('gives away no other file: %s', async (path) => {
    expect((await world.get(`/${path}`)).status).toBe(404);
  });

  it.each([
    ['br, gzip', 'br'],
    ['gzip', 'gzip'],
    ['identity', undefined],
  ])('is as small as the browser takes it: %s', async (accepts, encoding) => {
    const { headers } = await world.get('/', { 'accept-encoding': accepts });

    expect([headers['content-encoding'], headers['vary']]).toEqual([encoding, 'accept-encoding']);
  });

  it.each(PAGES.filter(({ isPrivate }) => isPrivate).map(({ path }) => path))(
    'sends who is not signed in to the sign-in: %s',
    async (path) => {
      const answer = await world.get(`${path}?a=b`);

      expect(answer.status).toBe(302);
      expect(answer.headers['location']).toBe(
        `/lamp/account/sign-in?next=${encodeURIComponent(`${path.slice(1)}?a=b`)}`,
      );
    },
  );

  it('is what everybody sees for a person who is signed in to a closed account', async () => {
    const person = await Browser.registered(world);
    const seen = async (): Promise<readonly unknown[]> => {
      const status = await person.get('/status');
      return [
        status.status,
        /data-signed-in="(\w+)"/.exec(status.body)?.[1],
        (await person.get('/studio')).status,
      ];
    };

    expect(await seen()).toEqual([200, 'true', 200]);
    await world.post(`/v1/admin/accounts/${person.id}/ban`, {}, { authorization: `Bearer ${ADMIN_TOKEN}` });
    expect(await seen()).toEqual([200, 'false', 302]);
  });

  it("is at one name of a developer's machine, the one that sessions are valid for", async () => {
    const local = await World.start({ PUBLIC_URL: 'http://127.0.0.2:3999' });
    const led = async (host: string) => (await local.get('/?code=curl', { host })).headers['location'];

    for (const host of ['localhost:3999', '127.0.0.1:3999', '[::1]:3999'])
      expect([host, await led(host)]).toEqual([host, 'http://127.0.0.2:3999/?code=curl']);
    for (const host of ['127.0.0.2:3999', '127.0.0.1:4000', '127.0.0.1.example:3999', 'lamp.example:3999'])
      expect([host, await led(host)]).toEqual([host, undefined]);
    await local.stop();
  });

  it('is not there for operators where there is no token for them', async () => {
    const closed = await World.start({ ADMIN_TOKEN: '' });

    expect([(await world.get('/admin')).status, (await closed.get('/admin')).status]).toEqual([200, 404]);
    await closed.stop();
  });
});
