import type { InjectOptions } from 'fastify';

import { needsOwnParties } from '../contract/route-fixtures';
import { type Answer, World } from '../support/world';

const HEADER_MAX = 3 * 1024;
/** The requests of crawlers at every address, without a body. */
const METHODS = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS', 'TRACE'] as const;

interface Operation {
  readonly 'x-payment-info'?: { readonly price: object };
}

describe('what programs read before they call', () => {
  let world: World;

  beforeAll(async () => {
    world = await World.start({
      PRICE_MEDIA_FLOOR_MICRO: '5000',
      PRICE_CHAT_FLOOR_MICRO: '3000',
      RATE_LIMIT_MEDIA: '7',
      MEDIA_RETENTION_DAYS: '3',
      SANCTIONED_REGIONS: 'KP',
      SECURITY_CONTACT: 'mailto:security@example.com',
    });
  });
  afterAll(() => world.stop());

  type Paths = readonly (readonly [string, Readonly<Record<string, Operation>>])[];
  const pathsIn = async (url: string): Promise<Paths> => Object.entries((await world.get(url)).body.paths);
  /** The routes for callers, with those of other modules. */
  const pathsOf = async (): Promise<Paths> => [
    ...(await pathsIn('/v1/agent/openapi.json')),
    ...(await pathsIn('/v1/extensions/openapi.json')),
  ];

  it('follows the settings that the service runs with, everywhere the same', async () => {
    const [manifest, guide, llms, paths] = await Promise.all([
      world.get('/v1/agent/manifest.json'),
      world.get('/v1/agent/guide.md'),
      world.get('/llms.txt'),
      pathsOf(),
    ]);

    expect(manifest.body).toMatchObject({
      version: '1.1.0',
      pricing: { ranges: { media: { min: '0.005000', max: '83.076924' }, chat: { min: '0.003000' } } },
      limits: { perMinute: { media: 7 }, promptChars: 2_000, chatMessages: 50, maxTokens: 8_192 },
      retention: { mediaDays: 3 },
      terms: { resale: 'permitted', sanctionedRegions: ['KP'], regionsAreKnown: false },
      networks: [{ network: 'eip155:8453', facilitator: 'sandbox' }],
      sandbox: [
        expect.stringContaining('providers'),
        expect.stringContaining('x402'),
        expect.stringContaining('card'),
      ],
    });
    expect(manifest.body.pricing.tiers.steps).toEqual([
      { fromUsd: 100, percent: 5 },
      { fromUsd: 500, percent: 10 },
      { fromUsd: 2_000, percent: 15 },
    ]);
    expect(guide.headers['content-type']).toBe('text/markdown; charset=utf-8');
    expect(guide.body).toContain('($0.005000 to $83.076924)');
    expect(guide.body).toContain('for 3 days');
    expect(guide.body).toContain('7 generating calls');
    expect(llms.body).toContain('$0.005000 to $83.076924, chat $0.003000');
    const prices = Object.fromEntries(
      paths.flatMap(([path, { post }]) =>
        post?.['x-payment-info'] ? [[path, post['x-payment-info'].price]] : [],
      ),
    );
    expect(prices['/v1/agent/chat']).toEqual({
      mode: 'dynamic',
      currency: 'USD',
      min: '0.003000',
      max: '0.841144',
    });
    expect(prices['/v1/agent/x402/top-up']).toMatchObject({ min: '1.000000', max: '500.000000' });
  });

  it('has the files that agents, registries and finders of holes look for', async () => {
    const [skill, entry, security] = await Promise.all(
      ['/skill.md', '/server.json', '/.well-known/security.txt'].map((path) => world.get(path)),
    );

    expect(skill!.headers['content-type']).toBe('text/markdown; charset=utf-8');
    expect(skill!.body).toMatch(/^---\nname: lamppost\ndescription: [^\n]{50,1024}\n---\n/);
    expect(skill!.body).toContain('$0.005000 to $83.076924');
    // The clients of Anthropic and Google add the version themselves.
    const { publicUrl } = world.settings.http;
    expect(skill!.body).toContain(`\`${publicUrl}/v1\`, Anthropic's and Google's with \`${publicUrl}\``);
    expect(entry!.body).toMatchObject({
      name: expect.stringMatching(/^[a-zA-Z0-9.-]+\/[a-zA-Z0-9._-]+$/) as string,
      version: '1.1.0',
      remotes: [
        { type: 'streamable-http', url: expect.stringMatching(/\/mcp$/) as string },
        { type: 'streamable-http', url: expect.stringMatching(/\/mcp\?payment=x402$/) as string },
      ],
    });
    expect((entry!.body.description as string).length).toBeLessThanOrEqual(100);
    expect(security!.headers['content-type']).toBe('text/plain; charset=utf-8');
    const [, expires] = /^Contact: mailto:security@example\.com\nExpires: (\S+)\n/.exec(
      security!.body as string,
    )!;
    const days = (Date.parse(expires!) - Date.now()) / 86_400_000;
    expect(days).toBeGreaterThan(80);
    expect(days).toBeLessThan(365);
  });

  it('has no file for finders of holes without a contact, and nobody keeps that answer', async () => {
    const plain = await World.start();
    try {
      const { status, headers, body } = await plain.get('/.well-known/security.txt');
      expect([status, body.error?.code]).toEqual([404, 'NOT_FOUND']);
      expect(headers['content-type']).toBe('application/json; charset=utf-8');
      expect(headers['cache-control']).toBe('no-store');
    } finally {
      await plain.stop();
    }
  });

  it('names only addresses that answer', async () => {
    const { publicUrl } = world.settings.http;
    const texts = await Promise.all(
      ['/llms.txt', '/v1/agent/guide.md'].map(async (url) => String((await world.get(url)).body)),
    );
    const manifest = (await world.get('/v1/agent/manifest.json')).body;
    const named = [
      ...texts.flatMap((text) => [...text.matchAll(/\]\((http[^)]+)\)/g)].map(([, url]) => url ?? '')),
      ...Object.values<string>(manifest.links),
    ].filter((url) => url.startsWith(publicUrl) && !/\/(account\/|mcp(\?payment=x402)?$|docs$)/.test(url));

    const answers = await Promise.all(named.map((url) => world.get(url.slice(publicUrl.length))));

    expect(answers.map(({ status }, index) => `${status} ${named[index]}`)).toEqual(
      named.map((url) => `200 ${url}`),
    );
    expect(named.length).toBeGreaterThan(8);
  });

  it('guarantees only what an address shows', async () => {
    const { guarantees } = (await world.get('/v1/agent/manifest.json')).body;
    const documented = new Set(
      (await pathsOf()).flatMap(([path, item]) =>
        Object.keys(item).map((method) => `${method.toUpperCase()} ${path}`),
      ),
    );

    for (const { endpoint } of guarantees as { endpoint: string }[]) {
      expect([...documented, 'GET /.well-known/jwks.json']).toContain(endpoint);
    }
  });

  it('lists every address that is paid for, and no other', async () => {
    const paid = (await pathsOf())
      .filter(([, item]) => item['post']?.['x-payment-info'] !== undefined)
      .map(([path]) => world.settings.http.publicUrl + path);

    const { body } = await world.get('/.well-known/x402');

    expect(body).toMatchObject({ version: 1, resources: paid });
    expect(Object.keys(body.extensions)).toEqual(paid);
    expect(paid).toContain(`${world.settings.http.publicUrl}/v1/agent/generate`);
  });

  it('has each route in one document, and names the document of other modules if it has routes', async () => {
    const documents = await Promise.all(
      ['agent', 'account', 'extensions'].map(async (name) =>
        Object.keys((await world.get(`/v1/${name}/openapi.json`)).body.paths),
      ),
    );
    const { links } = (await world.get('/v1/agent/manifest.json')).body;
    const paths = documents.flat();

    expect(new Set(paths).size).toBe(paths.length);
    expect(links.extensions !== undefined).toBe(documents[2]!.length > 0);
  });

  it('has every route for callers in one document, and at most 40 of them in the one for crawlers', async () => {
    const operationsOf = async (url: string): Promise<string[]> =>
      Object.entries((await world.get(url)).body.paths as Record<string, object>).flatMap(([path, item]) =>
        Object.keys(item).map((method) => `${method} ${path}`),
      );
    const callers = await operationsOf('/v1/agent/openapi.json');
    const crawlers = await operationsOf('/openapi.json');
    const account = await operationsOf('/v1/account/openapi.json');

    expect(crawlers.length).toBeLessThanOrEqual(40);
    const extensions = await operationsOf('/v1/extensions/openapi.json');
    expect(crawlers.filter((one) => ![...callers, ...extensions].includes(one))).toEqual([]);
    expect(account.filter((one) => !/ \/v1\/(account|admin)/.test(one))).toEqual([]);
    for (const route of ['/v1/messages', '/v1/responses', '/v1/chat/completions', '/v1/batches', '/v1/files'])
      expect(callers).toContain(`post ${route}`);
    expect((await world.get('/openapi.json')).body.info.description).toContain('/v1/agent/openapi.json');
  });

  it('draws its icon for browsers old and new', async () => {
    const svg = await world.get('/favicon.svg');
    const ico = await world.app.inject({ method: 'GET', url: '/favicon.ico' });

    expect([svg.status, svg.headers['content-type']]).toEqual([200, 'image/svg+xml']);
    expect([ico.statusCode, ico.headers['content-type']]).toEqual([200, 'image/x-icon']);
    expect(ico.rawPayload.readUInt16LE(2)).toBe(1);
    expect(ico.rawPayload.subarray(ico.rawPayload.readUInt32LE(18)).subarray(1, 4).toString()).toBe('PNG');
  });

  describe('when a crawler tries every method without a body', () => {
    const tried = async (): Promise<readonly (readonly [string, Answer])[]> => {
      const probes = (await pathsIn('/openapi.json')).flatMap(([path]) =>
        METHODS.map((method) => ({ method, url: path.replace(/\{\w+\}/g, 'none') })),
      );
      return Promise.all(
        probes.map(
          async ({ method, url }) =>
            [`${method} ${url}`, await world.send({ method, url } as InjectOptions)] as const,
        ),
      );
    };

    it('finds a 402 exactly where calls are paid for, in a header below 3 KB', async () => {
      const answers = await tried();

      const paid = answers.filter(([, { status }]) => status === 402);
      const { resources } = (await world.get('/.well-known/x402')).body as { resources: string[] };
      expect(paid.map(([what]) => what).sort()).toEqual(
        resources
          .map((url) => new URL(url).pathname)
          .filter((path) => !needsOwnParties(path))
          .map((path) => `POST ${path}`)
          .sort(),
      );
      for (const [what, { headers, body }] of paid) {
        const header = headers['payment-required'] ?? '';
        expect([what, header.length < HEADER_MAX]).toEqual([what, true]);
        const { bazaar } = JSON.parse(Buffer.from(header, 'base64').toString()).extensions;
        expect(bazaar.info.input.body).toBeDefined();
        expect(Object.keys(bazaar.info.output.example).length).toBeGreaterThan(0);
        expect(bazaar.schema.properties.input.properties.body).toBeDefined();
        expect(body.docs).toBe(`${world.settings.http.publicUrl}/guides/errors#${body.error.code}`);
      }
    });

    it('finds nothing odd elsewhere: an unknown address is a 404 or a 405 for every method', async () => {
      const documented = new Set(
        (await pathsIn('/openapi.json')).flatMap(([path, item]) =>
          Object.keys(item).map((method) => `${method.toUpperCase()} ${path.replace(/\{\w+\}/g, 'none')}`),
        ),
      );
      // `search` is in the place of an id, and nothing has this id.
      const allowed = (what: string): readonly number[] =>
        documented.has(what) || documented.has(what.replace(/search$/, 'none'))
          ? [200, 400, 401, 402, 404]
          : documented.has(what.replace(/^HEAD/, 'GET'))
            ? [200, 400, 401, 404]
            : [405];

      const odd = (await tried()).filter(([what, { status }]) => !allowed(what).includes(status));

      expect(odd.map(([what, { status }]) => `${status} ${what}`)).toEqual([]);
    });
  });
});
