import { KeyCaller } from '../support/caller';
import { World } from '../support/world';

describe('the status of the models', () => {
  let world: World;
  let caller: KeyCaller;

  beforeEach(async () => {
    world = await World.start();
    caller = await KeyCaller.register(world, 10_000_000n);
  });
  afterEach(async () => {
    await world.expectBooksToBalance();
    await world.stop();
  });

  const generate = (prompt: string) =>
    world.post('/v1/agent/generate', { prompt }, { 'x-api-key': caller.key });

  const chat = (content: string) =>
    world.post(
      '/v1/agent/chat',
      { messages: [{ role: 'user', content }], max_tokens: 16 },
      { 'x-api-key': caller.key },
    );

  it('begins empty', async () => {
    const { body } = await world.get('/v1/agent/status');

    expect(body).toMatchObject({ window: '24h', stepSeconds: 3_600, models: [] });
  });

  it('counts what became of calls, and leaves out what says nothing about a model', async () => {
    await generate('a lamp');
    await generate('a lamp [[reject]]');
    await chat('Hello.');
    await chat('Hello. [[reject]]');
    await world.post('/v1/agent/chat', { messages: [{ role: 'user', content: 'Unpaid.' }] });

    const { body } = await world.get('/v1/agent/status');

    expect(body.models).toMatchObject([
      {
        modelId: 'ember-image',
        kind: 'image',
        done: 1,
        failed: 1,
        successRate: 0.5,
        points: [{ done: 1, failed: 1 }],
      },
      {
        modelId: 'lumen-flash',
        kind: 'chat',
        done: 1,
        failed: 1,
        successRate: 0.5,
        points: [{ done: 1, failed: 1 }],
      },
    ]);
    expect(body.models[0].medianSeconds).toBeGreaterThan(0);
    expect(body.models[0].p95Seconds).toBeGreaterThanOrEqual(body.models[0].medianSeconds);
  });

  it('is measured once a minute, however many ask, and each time for its own window', async () => {
    const [first] = await Promise.all([world.get('/v1/agent/status'), world.get('/v1/agent/status')]);
    await generate('a lamp');
    const again = await world.get('/v1/agent/status');
    const week = await world.get('/v1/agent/status?window=7d');

    expect(again.body).toEqual(first.body);
    expect(week.body).toMatchObject({
      window: '7d',
      stepSeconds: 21_600,
      models: [{ modelId: 'ember-image' }],
    });
  });

  it('leaves out what was before the window', async () => {
    await generate('a lamp');
    await world.db.rows(`update job set created_at = created_at - interval '8 days'`);

    expect((await world.get('/v1/agent/status?window=7d')).body.models).toEqual([]);
    expect((await world.get('/v1/agent/status?window=30d')).body.models).toHaveLength(1);
  });

  it('knows three windows', async () => {
    const answer = await world.get('/v1/agent/status?window=1y');

    expect(answer.status).toBe(400);
    expect(answer.body.error.message).toBe('window must be one of 24h, 7d, 30d.');
  });
});
