import { KeyCaller } from '../support/caller';
import { World } from '../support/world';

const CHAT = { messages: [{ role: 'user', content: 'hello' }], max_tokens: 16 };
const guess = (n: number): string => `lp_${String(n).padStart(64, '0')}`;

describe('a caller who guesses keys', () => {
  let world: World;

  beforeAll(async () => {
    world = await World.start({ RATE_LIMIT_CHALLENGE: '5' });
  });

  afterAll(() => world.stop());

  it('has to wait after some tries, while others go on', async () => {
    const caller = await KeyCaller.register(world, 100_000n);
    const from = (remoteAddress: string, key: string) =>
      world.send({
        method: 'POST',
        url: '/v1/agent/chat',
        remoteAddress,
        headers: { 'content-type': 'application/json', 'x-api-key': key },
        payload: JSON.stringify(CHAT),
      });

    for (let n = 0; n < 5; n += 1) expect((await from('203.0.113.5', guess(n))).status).toBe(401);
    expect((await from('203.0.113.5', guess(6))).status).toBe(429);
    const other = await from('203.0.113.6', caller.key);

    expect((await from('203.0.113.5', guess(8))).headers['retry-after']).toBeDefined();
    expect(other.status).toBe(200);
  });
});
