import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { WalletCaller } from '../support/caller';
import { World } from '../support/world';

const CHAT = { messages: [{ role: 'user', content: 'hello' }] };
const blocked = new WalletCaller();

describe('whom we may not serve', () => {
  let world: World;

  beforeAll(async () => {
    const file = join(mkdtempSync(join(tmpdir(), 'lamppost-wallets-')), 'wallets.txt');
    writeFileSync(file, `# not served\n${blocked.wallet}\n`);
    world = await World.start({
      REGION_HEADER: 'X-Region',
      TRUSTED_PROXIES: '127.0.0.1',
      SANCTIONED_WALLETS_FILE: file,
    });
  });

  afterAll(() => world.stop());

  it.each(['CU', 'KP', 'ua-43'])('a caller in %s is told so before any price', async (region) => {
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
});
