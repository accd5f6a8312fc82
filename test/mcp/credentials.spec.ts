import { expectEnvelope } from '../support/envelope';
import { type Answer, World } from '../support/world';

const PING = { jsonrpc: '2.0', id: 1, method: 'ping' };
const ACCEPT = { accept: 'application/json, text/event-stream' };
const CHAT = {
  jsonrpc: '2.0',
  id: 1,
  method: 'tools/call',
  params: { name: 'chat', arguments: { messages: [{ role: 'user', content: 'Hi.' }] } },
};

/** The only message of a stream. */
const messageIn = ({ body }: Answer): { result?: Record<string, unknown>; error?: object } =>
  JSON.parse(/^data: (.*)$/m.exec(String(body))?.[1] ?? '{}') as never;

describe('the address of the tools', () => {
  let world: World;

  const send = (message: unknown, headers: Readonly<Record<string, string>> = {}): Promise<Answer> =>
    world.post('/mcp?payment=x402', message, { ...ACCEPT, ...headers });

  beforeAll(async () => {
    world = await World.start({
      PUBLIC_URL: 'https://lamp.example',
      SERVICE_DOMAIN: 'signin.example:8443',
      REGION_HEADER: 'x-region',
      TRUSTED_PROXIES: '127.0.0.1',
      RATE_LIMIT_FREE: '5',
    });
  });
  afterAll(() => world.stop());

  const from = (address: string): Readonly<Record<string, string>> => ({ 'x-forwarded-for': address });

  it.each([
    ['our own name', { host: 'lamp.example' }],
    ['the name of sign-ins', { host: 'signin.example' }],
    ['a name of this machine', { host: 'localhost:3000' }],
    ['an address', { host: '10.1.2.3:3000' }],
    ['an address of the newer kind', { host: '[::1]:3000' }],
    ['a page of ours', { host: 'lamp.example', origin: 'https://lamp.example' }],
    ['a page on this machine', { host: 'lamp.example', origin: 'http://localhost:6274' }],
  ])('opens to who calls %s', async (what, headers) => {
    const answer = await send(PING, { ...headers, ...from(`10.9.0.${what.length}`) });

    expect([answer.status, messageIn(answer).result]).toEqual([200, {}]);
  });

  it.each([
    ['another name that leads here', { host: 'rebound.example' }],
    ['a page of another site', { host: 'lamp.example', origin: 'https://evil.example' }],
    ['a page without an origin', { host: 'lamp.example', origin: 'null' }],
    ['our name without its lock', { host: 'lamp.example', origin: 'http://lamp.example' }],
  ])('stays closed to %s', async (_what, headers) => {
    expectEnvelope(await send(PING, headers), {
      status: 403,
      code: 'ORIGIN_MISMATCH',
      type: 'permission_error',
    });
  });

  it('answers 451 to sanctioned regions before anything else', async () => {
    const answer = await send('not even JSON', { 'x-region': 'KP', host: 'rebound.example' });

    expectEnvelope(answer, { status: 451, code: 'REGION_UNAVAILABLE', type: 'region_unavailable' });
  });

  it('passes the region on to the routes, and so the address that limits count', async () => {
    const caller = from('10.7.7.7');
    for (let calls = 0; calls < 5; calls += 1) {
      await world.get('/v1/agent/models', caller);
    }
    const listing = { ...CHAT, params: { name: 'list_models', arguments: {} } };

    const { result } = messageIn(await send(listing, caller));
    const other = messageIn(await send(listing, from('10.7.7.8')));

    expect(result).toMatchObject({ isError: true, structuredContent: { error: { code: 'RATE_LIMITED' } } });
    expect(other.result?.['isError']).toBeUndefined();
  });

  it('counts the messages of an address', async () => {
    const answers = await Promise.all(Array.from({ length: 6 }, () => send(PING, from('10.8.8.8'))));

    expect(answers.filter(({ status }) => status === 200)).toHaveLength(5);
    expect(answers.filter(({ status }) => status === 429)).toHaveLength(1);
  });

  it.each(['GET', 'DELETE', 'PUT'] as const)('has nothing behind %s', async (method) => {
    const answer = await world.send({ method, url: '/mcp', headers: { ...ACCEPT, host: 'lamp.example' } });

    expect([answer.status, answer.headers['allow']]).toEqual([405, 'POST']);
  });

  it.each([
    ['several messages at once', [PING, PING], 400],
    ['what is no JSON', '{', 400],
    ['what is no message', { hello: 'there' }, 400],
    ['more than 12 MB', { ...PING, filler: 'x'.repeat(13 * 1024 * 1024) }, 413],
  ])('refuses %s', async (what, message, status) => {
    const answer = await send(message, { host: 'lamp.example', ...from(`10.6.0.${what.length}`) });

    expect(answer.status).toBe(status);
  });

  it('says what to pay, with the offer bound to the route', async () => {
    const { result } = messageIn(await send(CHAT, from('10.5.5.5')));

    expect(result).toMatchObject({
      isError: true,
      structuredContent: { resource: { url: 'mcp://tool/chat' }, accepts: [{ extra: { name: 'USD Coin' } }] },
    });
  });
});
