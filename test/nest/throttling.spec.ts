import './team/in-the-list';

import { KeyCaller } from '../support/caller';
import { type Answer, World } from '../support/world';

const NOTE = { name: 'a note' };

describe('@Throttle and @SkipThrottle', () => {
  let world: World;

  beforeAll(async () => {
    world = await World.start({ RATE_LIMIT_CHAT: '3' });
  });
  afterEach(() => world.expectBooksToBalance());
  afterAll(() => world.stop());

  const get = (path: string, remoteAddress: string): Promise<Answer> =>
    world.send({ method: 'GET', url: `/v1/team/throttled/${path}`, remoteAddress });
  const pay = (path: string, caller: KeyCaller): Promise<Answer> =>
    world.post(`/v1/team/throttled/${path}`, NOTE, { 'x-api-key': caller.key });
  const statuses = async (times: number, ask: () => Promise<Answer>): Promise<number[]> => {
    const found = [];
    for (let n = 0; n < times; n += 1) found.push((await ask()).status);
    return found;
  };

  it('limits a free route by address', async () => {
    expect(await statuses(3, () => get('free', '203.0.113.1'))).toEqual([200, 200, 429]);
    expect(await statuses(1, () => get('free', '203.0.113.2'))).toEqual([200]);

    const { body, headers } = await get('free', '203.0.113.1');
    expect([body.error.code, headers['ratelimit-limit'], Number(headers['retry-after']) > 0]).toEqual([
      'RATE_LIMITED',
      '2',
      true,
    ]);
  });

  it('leaves a route that skips it unlimited', async () => {
    const strict = await World.start({ RATE_LIMIT_FREE: '1' });
    const ask = (url: string) => strict.get(`/v1/team/${url}`);

    expect(await statuses(3, () => ask('throttled/skipped'))).toEqual([200, 200, 200]);
    expect(await statuses(2, () => ask('throttled/free'))).toEqual([200, 200]);
    await strict.stop();
  });

  it("works with the library's own guard", async () => {
    expect(await statuses(4, () => get('by-library', '203.0.113.4'))).toEqual([200, 200, 200, 429]);
    const { body } = await get('by-library', '203.0.113.4');
    expect(body.error.code).toBe('RATE_LIMITED');
  });

  it('limits a paid route by payer, wherever the payer calls from', async () => {
    const [one, other] = [
      await KeyCaller.register(world, 1_000_000n),
      await KeyCaller.register(world, 1_000_000n),
    ];

    expect(await statuses(3, () => pay('payer', one))).toEqual([200, 200, 429]);
    const refused = await pay('payer', one);
    expect(refused.body.error.message).toMatch(/^The limit of this route is 2 calls in 30 seconds\./);
    expect(refused.headers['x-charge-state']).toBe('none');
    expect((await pay('payer', other)).status).toBe(200);
  });

  it('asks a limit that is a function', async () => {
    const caller = await KeyCaller.register(world, 1_000_000n);

    expect(await statuses(2, () => pay('function', caller))).toEqual([200, 429]);
  });

  it('takes the default limit of payers from a paid route', async () => {
    const caller = await KeyCaller.register(world, 1_000_000n);

    expect(await statuses(5, () => pay('unlimited', caller))).toEqual([200, 200, 200, 200, 200]);
  });
});
