import { KeyCaller } from '../support/caller';
import { World } from '../support/world';

describe("an account's jobs", () => {
  let world: World;

  beforeAll(async () => {
    world = await World.start();
  });

  afterAll(() => world.stop());

  it('are listed for the account that started them, and for operators', async () => {
    const caller = await KeyCaller.register(world, 1_000_000n);
    const other = await KeyCaller.register(world, 0n);
    await world.post('/v1/agent/generate', { prompt: 'a lamp' }, { 'x-api-key': caller.key });

    const own = await world.get('/v1/account/jobs', { cookie: caller.cookie });
    const foreign = await world.get('/v1/account/jobs', { cookie: other.cookie });
    const all = await world.get('/v1/admin/jobs?status=done', {
      authorization: 'Bearer an-admin-token-for-tests',
    });

    expect(own.body.jobs).toMatchObject([
      { status: 'done', kind: 'image', modelId: 'ember-image', chargeState: 'charged' },
    ]);
    expect(foreign.body.jobs).toEqual([]);
    expect(all.body.jobs).toHaveLength(1);
  });

  it('say that the service is ready only on a schema that the code knows', async () => {
    const ready = await world.get('/health/ready');

    expect(ready.body.parts).toMatchObject({ database: 'ok', migrations: 'ok' });
  });

  it.each([
    [['a naked child'], 'messages[0]'],
    [['hello', 'good day', 'and you?', 'a naked child', 'goodbye'], 'messages[3]'],
  ])('do not begin for words that the policy blocks, and name the message: %j', async (texts, param) => {
    const caller = await KeyCaller.register(world, 1_000_000n);

    const answer = await world.post(
      '/v1/agent/chat',
      { messages: texts.map((content) => ({ role: 'user', content })) },
      { 'x-api-key': caller.key },
    );

    expect(answer.body.error).toMatchObject({ code: 'POLICY_BLOCKED', param });
    expect(answer.headers['x-charge-state']).toBe('none');
  });
});
