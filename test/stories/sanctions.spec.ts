import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { ROUTE_SCOPES } from '#people/keys/key-scopes';
import { WalletCaller } from '../support/caller';
import { cloneDatabase } from '../support/postgres';
import { World } from '../support/world';

const CHAT = { messages: [{ role: 'user', content: 'hello' }] };
const blocked = new WalletCaller();

describe('whom we may not serve', () => {
  let world: World;
  let database: string;

  beforeAll(async () => {
    const file = join(mkdtempSync(join(tmpdir(), 'lamppost-wallets-')), 'wallets.txt');
    writeFileSync(file, `# not served\n${blocked.wallet}\n`);
    database = await cloneDatabase();
    world = await World.start({
      DATABASE_URL: database,
      REGION_HEADER: 'X-Region',
      TRUSTED_PROXIES: '127.0.0.1',
      SANCTIONED_WALLETS_FILE: file,
    });
  });

  afterAll(() => world.stop());

  it.each(['CU', 'KP', 'ua-43'])('a caller in %s is refused before any price', async (region) => {
    const answer = await world.post('/v1/agent/chat', CHAT, { 'x-region': region });

    expect(answer.status).toBe(451);
    expect(answer.body.error.code).toBe('REGION_UNAVAILABLE');
  });

  it.each(['UA-30', 'FR', ''])('a caller in %j is served', async (region) => {
    expect((await world.post('/v1/agent/chat', CHAT, { 'x-region': region })).status).toBe(402);
  });

  it('quotes stay open to everybody', async () => {
    const answer = await world.post('/v1/agent/quote', { modelId: 'lumen-flash' }, { 'x-region': 'CU' });

    expect(answer.status).toBe(200);
  });

  it('a region that a stranger writes is not believed', async () => {
    const answer = await world.send({
      method: 'POST',
      url: '/v1/agent/chat',
      headers: { 'content-type': 'application/json', 'x-region': 'CU' },
      payload: JSON.stringify(CHAT),
      remoteAddress: '203.0.113.9',
    });

    expect(answer.status).toBe(402);
  });

  it('a listed wallet is refused, named or signed in', async () => {
    const named = await world.post('/v1/agent/chat', { ...CHAT, payer: blocked.wallet });
    const signedIn = await world.post('/v1/agent/chat', CHAT, {
      'sign-in-with-x': await blocked.signIn(world),
    });

    expect([named, signedIn].map(({ body }) => body.error.code)).toEqual([
      'WALLET_BLOCKED',
      'WALLET_BLOCKED',
    ]);
  });

  describe('a listed wallet that made a key before it was listed', () => {
    let key: string;

    beforeAll(async () => {
      const before = await World.start({ DATABASE_URL: database });
      await blocked.fund(before, 1_000_000n);
      const resource = `${before.settings.http.publicUrl}/v1/agent/keys`;
      const made = await before.post(
        '/v1/agent/keys',
        { limitMicro: 500_000, expiresInSeconds: 3_600, scopes: { routes: [...ROUTE_SCOPES] } },
        { 'sign-in-with-x': await blocked.signIn(before, { resource }) },
      );
      expect(made.status).toBe(201);
      key = made.body.key as string;
      await before.stop();
    });

    it.each([
      ['POST', '/v1/agent/chat', CHAT],
      ['POST', '/v1/chat/completions', CHAT],
      ['POST', '/v1/chat/completions', { ...CHAT, stream: true }],
      ['GET', '/v1/agent/events', undefined],
      ['GET', '/v1/agent/webhooks', undefined],
      ['GET', '/v1/agent/references', undefined],
      ['GET', '/v1/agent/keys', undefined],
      ['GET', '/v1/agent/balance', undefined],
      ['GET', '/v1/agent/jobs', undefined],
    ] as const)('is refused at %s %s by that key', async (method, url, body) => {
      const answer = await world.send({
        method,
        url,
        headers: { 'x-api-key': key, ...(body === undefined ? {} : { 'content-type': 'application/json' }) },
        ...(body === undefined ? {} : { payload: JSON.stringify(body) }),
      });

      expect([answer.status, answer.body.error.code]).toEqual([451, 'WALLET_BLOCKED']);
      expect(await world.db.rows('select id from charge')).toEqual([]);
    });
  });
});
