import { CapturedLog } from '../support/captured-log';
import { World } from '../support/world';

/** Each caller has its own limit. So a shared count shows that the service took two callers for one. */
const leftFor = async (world: World, forwardedFor?: string): Promise<number> => {
  const answer = await world.get(
    '/v1/models',
    forwardedFor === undefined ? {} : { 'x-forwarded-for': forwardedFor },
  );
  return Number(answer.headers['ratelimit-remaining']);
};

const LIMITED = { RATE_LIMIT_FREE: '100' };

describe('an address that a caller claims to come from', () => {
  it('is not believed of anyone, and said so once', async () => {
    const world = await World.start(LIMITED);
    const log = CapturedLog.start();

    const left = [
      await leftFor(world, '203.0.113.1'),
      await leftFor(world, '203.0.113.2'),
      await leftFor(world),
      await leftFor(world, '127.0.0.1, 10.0.0.1'),
    ];
    log.release();
    await world.stop();

    expect(left).toEqual([99, 98, 97, 96]);
    expect(log.warnings).toHaveLength(1);
    expect(log.warnings[0]).toContain('X-Forwarded-For from 127.0.0.1 is ignored: set TRUSTED_PROXIES');
  });

  it('is believed of a proxy on the list, and only as far as the list goes', async () => {
    const world = await World.start({ ...LIMITED, TRUSTED_PROXIES: '127.0.0.1, 10.0.0.0/8' });

    const left = {
      alice: await leftFor(world, '203.0.113.1'),
      bob: await leftFor(world, '203.0.113.2'),
      aliceThroughTwoProxies: await leftFor(world, '203.0.113.1, 10.1.2.3'),
      aliceWhoClaimsToBeBob: await leftFor(world, '203.0.113.2, 203.0.113.1'),
      nobodyBehindTheProxy: await leftFor(world),
    };
    await world.stop();

    expect(left).toEqual({
      alice: 99,
      bob: 99,
      aliceThroughTwoProxies: 98,
      aliceWhoClaimsToBeBob: 97,
      nobodyBehindTheProxy: 99,
    });
  });

  it('is not believed of a peer that is not on the list', async () => {
    const world = await World.start({ ...LIMITED, TRUSTED_PROXIES: '10.0.0.0/8' });

    const left = [await leftFor(world, '203.0.113.1'), await leftFor(world, '203.0.113.2')];
    await world.stop();

    expect(left).toEqual([99, 98]);
  });

  it('never breaks a call, however it is written', async () => {
    const world = await World.start({ ...LIMITED, TRUSTED_PROXIES: '127.0.0.1' });
    const texts = [
      'nonsense',
      '',
      ',',
      '::::',
      '999.1.1.1',
      'a'.repeat(5_000),
      '203.0.113.9\u00ff',
      ',,127.0.0.1',
    ];

    const answers = await Promise.all(
      texts.map((text) => world.get('/v1/models', { 'x-forwarded-for': text, 'x-forwarded-host': text })),
    );
    await world.stop();

    expect(answers.map(({ status }) => status)).toEqual(texts.map(() => 200));
  });

  it('is warned about when it comes from a peer that the list leaves out', async () => {
    const world = await World.start({ ...LIMITED, TRUSTED_PROXIES: '10.0.0.0/8' });
    const log = CapturedLog.start();

    await leftFor(world, '203.0.113.1');
    await leftFor(world, '203.0.113.1');
    log.release();
    await world.stop();

    expect(log.warnings).toHaveLength(1);
    expect(log.warnings[0]).toContain('X-Forwarded-For from 127.0.0.1 is ignored');
  });
});
