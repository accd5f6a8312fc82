import { KeyCaller } from '../support/caller';
import { World } from '../support/world';

const CHAT = { messages: [{ role: 'user', content: 'Say hello.' }] };

describe('a service whose only vendor makes no text', () => {
  let world: World;

  beforeAll(async () => {
    world = await World.start({ FAL_KEY: 'fal-key-of-a-test', ALLOW_SANDBOX_MIX: 'true' });
  });

  afterAll(() => world.stop());

  it.each([
    ['the agent route', '/v1/agent/chat', CHAT],
    ['the agent route, with a model', '/v1/agent/chat', { ...CHAT, model: 'lumen-flash' }],
    ['the agent route, with a model of media', '/v1/agent/chat', { ...CHAT, model: 'torch-video' }],
    ['a crawler at the agent route', '/v1/agent/chat', {}],
    ['the studio', '/v1/chat/completions', CHAT],
  ])('says so at %s, and charges nothing', async (_, url, body) => {
    const { key } = await KeyCaller.register(world, 1_000_000n);

    const isProbe = Object.keys(body).length === 0;
    const answer = await world.post(url, body, isProbe ? {} : { 'x-api-key': key });

    expect(answer.status).toBe(503);
    expect(answer.body.error).toMatchObject({ code: 'NOT_OFFERED', type: 'unavailable', retryable: false });
    expect((await world.get('/v1/agent/balance', { 'x-api-key': key })).body.balanceMicro).toBe(1_000_000);
    await world.expectBooksToBalance();
  });

  it('says so in its manifest and its guide, and lists what there is', async () => {
    expect((await world.get('/v1/agent/manifest.json')).body.notSold).toEqual(['text']);
    expect((await world.get('/v1/agent/guide.md')).body).toContain('No text is sold here');
    const { models, textModels } = (await world.get('/v1/agent/models')).body;
    expect(textModels).toEqual([]);
    expect(models.length).toBeGreaterThan(0);
  });

  it('still asks to be paid for what it sells', async () => {
    expect((await world.post('/v1/agent/generate', { prompt: 'a red fox' })).status).toBe(402);
  });
});
