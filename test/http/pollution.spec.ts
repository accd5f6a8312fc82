import { expectEnvelope } from '../support/envelope';
import { World } from '../support/world';

const INVALID = { status: 400, code: 'INVALID_REQUEST', type: 'invalid_request_error' };

describe('an attempt to reach what all objects share', () => {
  let world: World;

  beforeAll(async () => {
    world = await World.start();
  });
  afterEach(() => {
    expect(Object.keys(Object.prototype)).toEqual([]);
    expect(({} as { polluted?: unknown }).polluted).toBeUndefined();
  });
  afterAll(() => world.stop());

  it.each([
    '{"modelId":"ember-image","__proto__":{"polluted":1}}',
    '{"modelId":"ember-image","\\u005f\\u005fproto__":{"polluted":1}}',
    '{"modelId":"lumen-flash","messages":[{"content":"x","__proto__":{"polluted":1}}]}',
    '{"__proto__":{"modelId":"ember-image"}}',
    '{"__proto__":null}',
    '{"x":{"y":{"__proto__":[]}}}',
  ])('is a 400 as %s', async (body) => {
    const answer = await world.post('/v1/agent/quote', body);

    expectEnvelope(answer, { ...INVALID, param: '__proto__' });
  });

  it.each([
    '{"modelId":"ember-image","constructor":{"prototype":{"polluted":1}}}',
    '{"modelId":"ember-image","toString":"x","hasOwnProperty":1,"valueOf":null}',
  ])('is ignored as %s', async (body) => {
    const answer = await world.post('/v1/agent/quote', body);

    expect([answer.status, answer.body.priceMicro]).toEqual([200, 30_770]);
  });

  it.each(['constructor', '__proto__', 'toString', 'hasOwnProperty', 'prototype'])(
    'finds no model named %s',
    async (modelId) => {
      const answer = await world.post('/v1/agent/quote', { modelId });

      expectEnvelope(answer, { status: 404, code: 'UNKNOWN_MODEL', type: 'not_found', param: 'modelId' });
    },
  );

  it.each(['constructor', '__proto__', 'toString', 'default'])(
    'finds no resolution or size named %s',
    async (name) => {
      const resolution = await world.post('/v1/agent/quote', { modelId: 'ember-image', resolution: name });
      const imageSize = await world.post('/v1/agent/quote', {
        modelId: 'ember-image-studio',
        imageSize: name,
      });

      expectEnvelope(resolution, { ...INVALID, param: 'resolution' });
      expectEnvelope(imageSize, { ...INVALID, param: 'imageSize' });
    },
  );

  it.each([
    '__proto__[polluted]=1',
    '__proto__.polluted=1',
    'constructor[prototype][polluted]=1',
    'a=1&a=2&a[]=3',
    '%00=1',
    '&='.repeat(5_000),
  ])('does nothing in a query: %.40s', async (query) => {
    const answer = await world.get(`/v1/models?${query}`);

    expect([200, 400]).toContain(answer.status);
  });
});
