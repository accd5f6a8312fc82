import { type Answer, World } from '../support/world';

const ORIGIN = 'https://page.example';
const AGENT = [
  '/v1/models',
  '/v1/agent/models',
  '/v1/agent/quote',
  '/openapi.json',
  '/v1/agent/openapi.json',
];
const OWN = [
  '/v1/account',
  '/v1/account/keys',
  '/v1/account/openapi.json',
  '/v1/admin/accounts',
  '/health/live',
];

const corsOf = ({ headers }: Answer): readonly string[] =>
  Object.keys(headers)
    .filter((name) => name.startsWith('access-control-'))
    .sort();

describe('a page of another origin', () => {
  let world: World;

  const preflight = (url: string, method = 'POST', headers: Record<string, string> = {}): Promise<Answer> =>
    world.send({
      method: 'OPTIONS',
      url,
      headers: { origin: ORIGIN, 'access-control-request-method': method, ...headers },
    });

  beforeAll(async () => {
    world = await World.start({ PUBLIC_URL: 'http://lamppost.example' });
  });
  afterAll(() => world.stop());

  it.each(AGENT)('may ask whether it may call %s', async (url) => {
    const answer = await preflight(url);

    expect([answer.status, answer.body]).toEqual([204, '']);
    expect(answer.headers['access-control-allow-origin']).toBe('*');
    expect(answer.headers['access-control-allow-credentials']).toBeUndefined();
    expect(answer.headers['access-control-allow-methods']).toBe('GET, POST, DELETE');
  });

  it.each([
    'content-type',
    'authorization',
    'x-api-key',
    'payment-signature',
    'x-payment',
    'accept-payment',
    'sign-in-with-x',
    'x-wallet-address',
    'idempotency-key',
    'x-max-price-micro',
    'x-stainless-retry-count',
    'x-stainless-package-version',
  ])('may send %s, which is named because a wildcard leaves out authorization', async (name) => {
    const answer = await preflight('/v1/agent/quote', 'POST', { 'access-control-request-headers': name });

    expect(String(answer.headers['access-control-allow-headers']).split(', ')).toContain(name);
  });

  it.each(['GET', 'POST', 'DELETE'])(
    'gets an answer that it may read, errors included: %s',
    async (method) => {
      const answers = await Promise.all(
        [...AGENT, '/v1/agent/nothing'].map((url) =>
          world.send({ method: method as 'GET', url, headers: { origin: ORIGIN } }),
        ),
      );

      for (const answer of answers) {
        expect(answer.headers['access-control-allow-origin']).toBe('*');
        expect(answer.headers['access-control-allow-credentials']).toBeUndefined();
      }
    },
  );

  it('may read every header that the service speaks with', async () => {
    const answer = await world.get('/v1/models', { origin: ORIGIN });

    expect(answer.headers['access-control-expose-headers']).toBe('*');
    expect(answer.headers['access-control-allow-credentials']).toBeUndefined(); // The wildcard needs this.
  });

  it('is no friend because it has no origin', async () => {
    const answer = await world.get('/v1/models', { origin: 'null' });

    expect(answer.headers['access-control-allow-origin']).toBe('*');
    expect(answer.headers['access-control-allow-credentials']).toBeUndefined();
  });

  it.each([
    ['no method asked for', { origin: ORIGIN }],
    ['no origin', { 'access-control-request-method': 'POST' }],
  ])('asks nothing by a bare OPTIONS: %s', async (_what, headers) => {
    const answer = await world.send({ method: 'OPTIONS', url: '/v1/agent/quote', headers });

    expect(answer.status).toBe(405);
    expect(answer.headers['access-control-allow-methods']).toBeUndefined();
  });

  it.each(OWN)('gets nothing from %s', async (url) => {
    const answers = [await preflight(url), await world.get(url, { origin: ORIGIN })];

    expect(answers.map(corsOf)).toEqual([[], []]);
    expect(answers[0]?.status).not.toBe(204);
  });
});

describe('any answer', () => {
  let world: World;

  beforeAll(async () => {
    world = await World.start({ PUBLIC_URL: 'https://lamppost.example' });
  });
  afterAll(() => world.stop());

  it.each(['/v1/models', '/nope', '/v1/agent/quote', '/health/live', '/v1/account/openapi.json'])(
    'can’t be framed, sniffed or run: %s',
    async (url) => {
      const { headers } = await world.get(url);

      expect(headers).toMatchObject({
        'x-content-type-options': 'nosniff',
        'referrer-policy': 'no-referrer',
        'content-security-policy': "default-src 'none'; frame-ancestors 'none'",
        'strict-transport-security': 'max-age=31536000; includeSubDomains',
      });
      expect(Object.keys(headers)).not.toContain('x-powered-by');
      expect(Object.keys(headers)).not.toContain('server');
    },
  );

  it('runs only its own scripts when it is the docs page', async () => {
    const { headers } = await world.get('/docs');

    expect(headers['content-security-policy']).toMatch(/^default-src 'none'; script-src 'self' 'sha256-/);
    expect(headers['content-security-policy']).toContain("frame-ancestors 'none'");
  });

  it('does not pin a plain-http service to https', async () => {
    const plain = await World.start();

    const { headers } = await plain.get('/v1/models');
    await plain.stop();

    expect(headers['strict-transport-security']).toBeUndefined();
  });
});
