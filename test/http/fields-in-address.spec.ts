import { KeyCaller } from '../support/caller';
import { World } from '../support/world';

const MESSAGES = [{ role: 'user', content: 'Say hello.' }];

describe('a field that bounds a charge', () => {
  let world: World;

  beforeAll(async () => {
    world = await World.start();
  });
  afterAll(() => world.stop());

  it.each([
    ['dryRun=true', '/v1/agent/chat', { messages: MESSAGES }],
    ['dryRun=true', '/v1/chat/completions', { messages: MESSAGES }],
    ['maxPriceMicro=1', '/v1/messages', { messages: MESSAGES, max_tokens: 10, model: 'lumen-flash' }],
    ['quoteId=q', '/v1/agent/generate', { prompt: 'A lamp.' }],
  ])('is refused in the address: %s of %s', async (query, path, body) => {
    const { key, cookie } = await KeyCaller.register(world, 1_000_000n);
    const answer = await world.post(`${path}?${query}`, body, { 'x-api-key': key });

    expect(answer.status).toBe(400);
    expect(JSON.stringify(answer.body)).toContain(`${query.split('=')[0]} is a field of the body`);
    expect((await world.get('/v1/account', { cookie })).body.balanceMicro).toBe(1_000_000);
  });
});
