import { KeyCaller } from '../support/caller';
import { expectEnvelope } from '../support/envelope';
import { sendRaw } from '../support/raw-http';
import { type Answer, World } from '../support/world';

const rates = ({ headers }: Answer): readonly (string | undefined)[] => [
  headers['ratelimit-limit'],
  headers['ratelimit-remaining'],
];

describe('a limit of payers that is as large as that of strangers', () => {
  let world: World;

  afterEach(() => world.stop());

  it('is shown to a payer, whose address had its count back', async () => {
    world = await World.start({ RATE_LIMIT_CHALLENGE: '2', RATE_LIMIT_CHAT: '2' });
    const { key } = await KeyCaller.register(world, 10_000n);

    const paid = await world.post(
      '/v1/agent/chat',
      { messages: [{ role: 'user', content: 'Hello.' }], max_tokens: 16 },
      { 'x-api-key': key },
    );

    expect(paid.status).toBe(200);
    expect(rates(paid)).toEqual(['2', '1']);
    expect(Number(paid.headers['ratelimit-reset'])).toBeGreaterThan(0);
  });
});

describe('calls from one address', () => {
  let world: World;

  afterEach(() => world.stop());

  it('see how many are left, and then how long to wait', async () => {
    world = await World.start({ RATE_LIMIT_FREE: '2' });

    const first = await world.get('/v1/models');
    const second = await world.get('/v1/agent/models');
    const third = await world.post('/v1/agent/quote', { modelId: 'ember-image' });

    expect([first.status, second.status]).toEqual([200, 200]);
    expect([first, second, third].map(rates)).toEqual([
      ['2', '1'],
      ['2', '0'],
      ['2', '0'],
    ]);
    expectEnvelope(third, { status: 429, code: 'RATE_LIMITED', type: 'rate_limited' });
    expect(third.headers['x-should-retry']).toBe('true');
    const wait = Number(third.headers['retry-after']);
    expect(wait).toBeGreaterThan(0);
    expect(wait).toBeLessThanOrEqual(60);
    expect(third.headers['ratelimit-reset']).toBe(String(wait));
    expect(third.body.error.message).toBe(
      `The limit "free" is 2 calls a minute. Wait ${wait} seconds, then send it again.`,
    );
  });

  it('are not counted when the limit is 0, and then carry no such headers', async () => {
    world = await World.start({ RATE_LIMIT_FREE: '0' });

    const answers = await Promise.all(Array.from({ length: 50 }, () => world.get('/v1/models')));

    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200]));
    expect(answers[0]?.headers['ratelimit-limit']).toBeUndefined();
  });

  it('are let through exactly as often as the limit says, however many come at once', async () => {
    world = await World.start({ RATE_LIMIT_FREE: '20' });

    const answers = await Promise.all(Array.from({ length: 100 }, () => world.get('/v1/models')));

    expect(answers.filter(({ status }) => status === 200)).toHaveLength(20);
    expect(answers.filter(({ status }) => status === 429)).toHaveLength(80);
  });

  it('are counted whether they succeed or fail, before their body is read', async () => {
    world = await World.start({ RATE_LIMIT_FREE: '3' });

    await world.post('/v1/agent/quote', '{broken');
    await world.post('/v1/agent/quote', { modelId: 'nobody' });
    await world.get('/v1/agent/nothing');
    const url = await world.listen();
    const head = 'POST /v1/agent/quote HTTP/1.1\r\nhost: x\r\ncontent-type: application/json\r\n';
    const answer = await sendRaw(url, `${head}content-length: 300000\r\n\r\n`);

    expectEnvelope(answer, { status: 429, code: 'RATE_LIMITED' });
  });

  it.each([
    [
      'forwarded for someone else',
      'GET /v1/models HTTP/1.1\r\nhost: x\r\nx-forwarded-for: 203.0.113.9\r\n\r\n',
    ],
    [
      'forwarded in the newer way',
      'GET /v1/models HTTP/1.1\r\nhost: x\r\nforwarded: for=203.0.113.9\r\n\r\n',
    ],
    ['with another real address', 'GET /v1/models HTTP/1.1\r\nhost: x\r\nx-real-ip: 203.0.113.9\r\n\r\n'],
    ['to an encoded address', 'GET /%761/models HTTP/1.1\r\nhost: x\r\n\r\n'],
    ['to an absolute address', 'GET http://other/v1/models HTTP/1.1\r\nhost: x\r\n\r\n'],
    ['with a slash too many', 'GET /v1/models/ HTTP/1.1\r\nhost: x\r\n\r\n'],
    ['with a query', 'GET /v1/models?a=1 HTTP/1.1\r\nhost: x\r\n\r\n'],
    ['by HEAD', 'HEAD /v1/models HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n'],
  ])('are one address’s also when they come %s', async (_how, bytes) => {
    world = await World.start({ RATE_LIMIT_FREE: '1' });
    const url = await world.listen();
    await sendRaw(url, 'GET /v1/models HTTP/1.1\r\nhost: x\r\n\r\n');

    const answer = await sendRaw(url, bytes);

    expect(answer.status).toBe(429);
  });

  it('never lock anyone out of the health and metrics addresses', async () => {
    world = await World.start({ RATE_LIMIT_FREE: '1' });
    await world.get('/v1/models');

    const answers = await Promise.all(
      ['/health', '/health/live', '/health/ready', '/metrics'].map((url) => world.get(url)),
    );

    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 200]);
  });

  it('that pay nothing are counted apart from the free ones', async () => {
    world = await World.start({ RATE_LIMIT_FREE: '1', RATE_LIMIT_CHALLENGE: '2' });
    const body = { messages: [{ role: 'user', content: 'hello' }] };

    const statuses = [
      (await world.post('/v1/agent/chat', body)).status,
      (await world.post('/v1/agent/chat', body)).status,
      (await world.post('/v1/agent/chat', body)).status,
      (await world.get('/v1/models')).status,
    ];

    expect(statuses).toEqual([402, 402, 429, 200]);
  });
});
