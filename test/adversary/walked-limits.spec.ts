import type { InjectOptions } from 'fastify';

import { KeyCaller, WalletCaller } from '../support/caller';
import { expectEnvelope } from '../support/envelope';
import { McpCaller } from '../support/mcp';
import { type Answer, World } from '../support/world';
import { callersOf, sandboxRails, signedPayment } from '../contract/rail-callers';

const CHAT = { messages: [{ role: 'user', content: 'hello' }], max_tokens: 16 };
const junkKey = (n: number): string => `lp_${String(n).padStart(64, '0')}`;

const counted = (answers: readonly Answer[]): Readonly<Record<number, number>> => {
  const counts: Record<number, number> = {};
  for (const { status } of answers) counts[status] = (counts[status] ?? 0) + 1;
  return counts;
};

const times = <T>(count: number, make: (n: number) => Promise<T>): Promise<T[]> =>
  Promise.all(Array.from({ length: count }, (_, n) => make(n)));

/** Somebody who wants more than their share, from one address or from as many as they own. */
describe('limits that somebody tries to walk around', () => {
  let world: World;

  const from = (
    remoteAddress: string,
    url: string,
    body: unknown,
    headers: Readonly<Record<string, string>> = {},
  ): Promise<Answer> =>
    world.send({
      method: 'POST',
      url,
      remoteAddress,
      headers: { 'content-type': 'application/json', ...headers },
      payload: typeof body === 'string' ? body : JSON.stringify(body),
    });

  afterEach(async () => {
    await world.expectBooksToBalance();
    await world.stop();
  });

  it.each([
    ['a Bearer that is none of ours', { authorization: 'Bearer nonsense' }, '{"messages":1}'],
    ['a cookie', { cookie: 'lamppost_session=nonsense' }, '{"messages":1}'],
    ['a payment', { 'payment-signature': 'nonsense' }, '{'],
    ['a sign-in', { 'sign-in-with-x': 'nonsense' }, JSON.stringify(CHAT)],
    ['a key', { 'x-api-key': junkKey(1) }, JSON.stringify(CHAT)],
    ['nothing', {}, '{"messages":1}'],
  ])('hold for a body with %s beside it', async (_what, headers, body) => {
    world = await World.start({ RATE_LIMIT_CHALLENGE: '5' });

    const answers = [];
    for (let n = 0; n < 8; n += 1) answers.push(await from('203.0.113.5', '/v1/agent/chat', body, headers));

    expect(answers.slice(0, 5).every(({ status }) => [400, 401, 402].includes(status))).toBe(true);
    expect(answers.slice(5).map(({ status }) => status)).toEqual([429, 429, 429]);
    expectEnvelope(answers[7]!, { status: 429, code: 'RATE_LIMITED' });
    expect((await from('203.0.113.6', '/v1/agent/chat', CHAT)).status).toBe(402);
  });

  it.each(['/v1/agent/chat', '/v1/chat/completions', '/v1/agent/references', '/v1/agent/x402/top-up?usd=5'])(
    'let exactly as many guesses of a burst through at %s as they say',
    async (url) => {
      world = await World.start({ RATE_LIMIT_CHALLENGE: '20' });

      const answers = await times(200, (n) => from('203.0.113.5', url, CHAT, { 'x-api-key': junkKey(n) }));

      expect(counted(answers)[429]).toBe(180);
    },
  );

  it('count an address in every spelling, and all of a network that one subscriber has', async () => {
    world = await World.start({ RATE_LIMIT_CHALLENGE: '4' });
    const spellings = [
      ['2001:db8:1:2::1', '2001:0DB8:0001:0002:0:0:0:1', '2001:db8:1:2:ffff::9', '2001:db8:1:2:a:b:c:d'],
      ['203.0.113.9', '::ffff:203.0.113.9', '::ffff:cb00:7109', '64:ff9b::203.0.113.9'],
    ] as const;

    for (const addresses of spellings) {
      const answers = [];
      for (const ip of addresses) answers.push(await from(ip, '/v1/agent/chat', CHAT));
      const last = await from(addresses[0], '/v1/agent/chat', CHAT);
      expect([...answers, last].map(({ status }) => status)).toEqual([402, 402, 402, 402, 429]);
    }
    expect((await from('2001:db8:1:3::1', '/v1/agent/chat', CHAT)).status).toBe(402);
  });

  it('count whatever an address asks for, however it ends', async () => {
    world = await World.start({ RATE_LIMIT_ADDRESS: '8' });
    const { key } = await KeyCaller.register(world, 1_000_000n); // Two calls of another address.
    const remoteAddress = '203.0.113.5';
    const calls: readonly InjectOptions[] = [
      { method: 'GET', url: '/v1/models' },
      { method: 'GET', url: '/nothing/here' },
      { method: 'GET', url: '/docs' },
      {
        method: 'OPTIONS',
        url: '/v1/agent/chat',
        headers: { origin: 'https://a.example', 'access-control-request-method': 'POST' },
      },
      { method: 'POST', url: '/v1/agent/chat', headers: { 'content-type': 'text/plain' }, payload: 'x' },
      {
        method: 'POST',
        url: '/v1/agent/chat',
        headers: { 'content-type': 'application/json', 'x-api-key': key },
        payload: JSON.stringify(CHAT),
      },
      { method: 'GET', url: '/v1/admin/accounts' },
      { method: 'POST', url: '/mcp', headers: { 'content-type': 'application/json' }, payload: '{}' },
    ];

    const statuses = [];
    for (const call of calls) statuses.push((await world.send({ ...call, remoteAddress })).status);
    const after = [];
    for (const call of calls) after.push((await world.send({ ...call, remoteAddress })).status);

    expect(statuses).not.toContain(429);
    expect(after).toEqual(calls.map(() => 429));
    const free = [
      '/health/live',
      '/health/ready',
      '/metrics',
      '/media/none',
      '/references/none',
      '/assets/1/none.js',
    ];
    for (const url of free)
      expect((await world.send({ method: 'GET', url, remoteAddress })).status).not.toBe(429);
    expect((await world.get('/v1/models')).status).toBe(200);
  });

  it.each(sandboxRails().map((rail) => [rail, callersOf(rail)] as const))(
    'do not count a call that was good for its money on the %s rail, so that many share an address',
    async (_rail, fixture) => {
      world = await World.start({ RATE_LIMIT_CHALLENGE: '8', RATE_LIMIT_CHAT: '50' });
      const caller = await fixture.caller(world, 1_000_000n);

      for (let n = 0; n < 8; n += 1) {
        const credential = await caller.credential(CHAT, 2_000n);
        const marked = { ...credential, 'idempotency-key': `the-call-${n}` };
        const first = await from('203.0.113.5', '/v1/agent/chat', CHAT, marked);
        const again = await from('203.0.113.5', '/v1/agent/chat', CHAT, marked);
        expect([first.status, first.headers['ratelimit-limit']]).toEqual([200, '50']);
        expect([again.status, again.headers['idempotent-replayed']]).toEqual([200, 'true']);
      }
    },
  );

  it('count a wallet without money, and an account without any', async () => {
    world = await World.start({ RATE_LIMIT_CHALLENGE: '4' });
    const { key } = await KeyCaller.register(world, 0n);
    const broke = async () => ({ 'sign-in-with-x': await new WalletCaller().signIn(world) });

    const answers = [
      await from('203.0.113.5', '/v1/agent/chat', CHAT, { 'x-api-key': key }),
      await from('203.0.113.5', '/v1/agent/chat', CHAT, await broke()),
      await from('203.0.113.5', '/v1/agent/chat', CHAT, await broke()),
      await from('203.0.113.5', '/v1/agent/references', { media: 'x' }, await broke()),
      await from('203.0.113.5', '/v1/agent/chat', CHAT, await broke()),
    ];

    expect(answers.map(({ status }) => status)).toEqual([402, 402, 402, 400, 429]);
  });

  it('count a payment that is signed well and covered by nothing', async () => {
    world = await World.start({ RATE_LIMIT_CHALLENGE: '3' });
    const pay = async () => {
      const wallet = new WalletCaller();
      await world.db.rows('insert into sandbox_wallet (wallet, balance_micro) values ($1, 0)', [
        wallet.wallet.toLowerCase(),
      ]);
      return { 'payment-signature': await signedPayment(world, wallet, CHAT, { price: 2_000n }) };
    };
    const payments = [await pay(), await pay(), await pay()]; // Each reads a challenge, from another address.

    const answers = [];
    for (const payment of [...payments, ...payments])
      answers.push(await from('203.0.113.5', '/v1/agent/chat', CHAT, payment));

    expect(answers.map(({ status }) => status)).toEqual([402, 402, 402, 429, 429, 429]);
  });

  it('count the tools of the Model Context Protocol once, at their own address and at their routes', async () => {
    world = await World.start({ RATE_LIMIT_ADDRESS: '10', RATE_LIMIT_CHALLENGE: '2' });
    const url = await world.listen();
    const mcp = await McpCaller.connect(url); // Three messages.

    const challenges = [];
    for (let n = 0; n < 3; n += 1) challenges.push(await mcp.call('chat', CHAT));
    const rest = [];
    for (let n = 0; n < 4; n += 1)
      rest.push(
        await mcp.call('list_models').then(
          () => 200,
          (error: { status: number }) => error.status,
        ),
      );
    await mcp.close();

    expect(
      challenges.map(
        ({ structuredContent }) => (structuredContent as { error: { code?: string } }).error.code,
      ),
    ).toEqual([undefined, undefined, 'RATE_LIMITED']);
    expect(rest.at(-1)).toBe(429);
  });

  it('give nobody who forges the mark of an inner call a free pass', async () => {
    world = await World.start({ RATE_LIMIT_ADDRESS: '2' });

    const answers = await times(4, (n) =>
      world.send({
        method: 'GET',
        url: '/v1/models',
        remoteAddress: '203.0.113.5',
        headers: { 'x-lamppost-inner-call': `00000000-0000-4000-8000-00000000000${n}` },
      }),
    );

    expect(counted(answers)).toEqual({ 200: 2, 429: 2 });
  });

  it('let an owner in whose mailbox strangers guess at', async () => {
    world = await World.start({ RATE_LIMIT_SIGN_IN: '3' });
    const signIn = (remoteAddress: string, password: string) =>
      from(remoteAddress, '/v1/account/sign-in', { email: 'owner@example.com', password });
    await from('203.0.113.1', '/v1/account/register', {
      email: 'owner@example.com',
      password: 'a long passphrase',
    });

    for (let n = 0; n < 20; n += 1) await signIn(`198.51.100.${n}`, 'a wrong guess');
    const own = [];
    for (let n = 0; n < 6; n += 1) own.push((await signIn('203.0.113.2', 'a long passphrase')).status);

    expect(own).toEqual([200, 200, 200, 200, 200, 200]);
    const stranger = [];
    for (let n = 0; n < 4; n += 1) stranger.push((await signIn('198.51.100.200', 'a wrong guess')).status);
    expect(stranger).toEqual([401, 401, 401, 429]);
  });

  it('write into the audit who tries the operators’ routes, and not without end', async () => {
    world = await World.start({ RATE_LIMIT_SIGN_IN: '3' });
    const attempt = (remoteAddress: string) =>
      world.send({
        method: 'GET',
        url: '/v1/admin/drift',
        remoteAddress,
        headers: { authorization: 'Bearer wrong' },
      });

    const one = [];
    for (let n = 0; n < 5; n += 1) one.push((await attempt('203.0.113.5')).status);
    await times(80, (n) => attempt(`198.51.100.${n}`));
    const { body } = await world.get('/v1/admin/audit?limit=200', {
      authorization: `Bearer ${world.settings.admins[0]!.token}`,
    });

    expect(one).toEqual([401, 401, 401, 429, 429]);
    expect(body.entries).toHaveLength(51);
    expect(body.entries.at(-1)).toMatchObject({ action: 'refused', ip: '203.0.113.5' });
    const reasons = (body.entries as readonly { reason: string }[]).map(({ reason }) => reason);
    expect(reasons.filter((reason) => reason.includes('more than 50 addresses'))).toHaveLength(1);
  });
});
