import { expectEnvelope } from '../support/envelope';
import { World } from '../support/world';

const QUOTE = '/v1/agent/quote';

describe('a request that no route can serve', () => {
  let world: World;

  beforeAll(async () => {
    world = await World.start();
  });
  afterAll(() => world.stop());

  it.each(['/nope', '/v1/agent/nothing', '//v1/agent/models', '/V1/AGENT/MODELS'])(
    'is a 404 in the envelope at %s',
    async (url) => {
      const answer = await world.get(url);

      expectEnvelope(answer, { status: 404, code: 'NOT_FOUND', type: 'not_found' });
    },
  );

  it.each([
    ['GET', QUOTE, 'POST'],
    ['DELETE', '/v1/agent/models', 'GET'],
    ['PUT', '/v1/models', 'GET'],
    ['PATCH', '/health/live', 'GET'],
    ['OPTIONS', QUOTE, 'POST'],
  ] as const)('is a 405 that names the right method for %s %s', async (method, url, allowed) => {
    const answer = await world.send({ method, url });

    expectEnvelope(answer, { status: 405, code: 'METHOD_NOT_ALLOWED', type: 'invalid_request_error' });
    expect(answer.headers['allow']).toBe(allowed);
    expect(answer.body.error.message).toBe(`This address takes ${allowed}.`);
  });

  it('finds the method of an address whatever its query says', async () => {
    const answer = await world.get(`${QUOTE}?usd=1&usd=2#here`);

    expectEnvelope(answer, { status: 405, code: 'METHOD_NOT_ALLOWED' });
  });

  it('is none when only a slash is too many', async () => {
    const answers = [await world.get('/v1/models/'), await world.get(`${QUOTE}/`)];

    expect(answers.map(({ status }) => status)).toEqual([200, 405]);
  });

  it('has an id of ours, one for each request, whatever the caller sends', async () => {
    const answers = [
      await world.get('/nope', { 'x-request-id': 'mine', 'request-id': 'mine' }),
      await world.get('/nope'),
      await world.get('/v1/agent/models'),
    ];

    const ids = answers.map(({ headers }) => headers['x-request-id']);
    expect(new Set(ids).size).toBe(3);
    expect(ids).not.toContain('mine');
  });
});

describe('a body that is not JSON', () => {
  let world: World;

  beforeAll(async () => {
    world = await World.start();
  });
  afterAll(() => world.stop());

  it.each([
    ['{"modelId": "x", hunter2', 17],
    ['{"modelId": hunter2}', 12],
    ["{'hunter2': 1}", 1],
    ['{"hunter2": 01}', 13],
    ['{"hunter2": NaN}', 12],
  ])('is a 400 that says where: %s', async (body, position) => {
    const answer = await world.post(QUOTE, body);

    expectEnvelope(answer, { status: 400, code: 'INVALID_REQUEST' });
    expect(answer.body.error.message).toBe(`The body is not valid JSON (at position ${position}).`);
  });

  it.each(['{"modelId": "hunter2', '[', '{"a":"\\u12"}', '{"a":1}}', '\u0000', 'hunter2'])(
    'never comes back in the answer: %j',
    async (body) => {
      const answer = await world.post(QUOTE, body);

      expectEnvelope(answer, { status: 400, code: 'INVALID_REQUEST' });
      expect(answer.body.error.message).toMatch(/ \(at position \d+\)\.$/);
      expect(JSON.stringify(answer.body)).not.toContain('hunter2');
    },
  );

  it('is a 400 when its bytes are not UTF-8', async () => {
    const answer = await world.send({
      method: 'POST',
      url: QUOTE,
      headers: { 'content-type': 'application/json' },
      payload: Buffer.from([0x7b, 0x22, 0xff, 0x22, 0x7d]),
    });

    expectEnvelope(answer, { status: 400, code: 'INVALID_REQUEST' });
    expect(answer.body.error.message).toBe('The body is not valid UTF-8.');
  });

  it.each([
    'application/x-www-form-urlencoded',
    'multipart/form-data; boundary=x',
    'text/plain',
    'text/json',
    'application/jsonp',
    'application/json+evil',
    'application/json; charset=utf-16',
    'application/json;charset="iso-8859-1"',
    'application/json; charset=utf-8x',
    'application/json\t; charset=utf-16',
    'nonsense',
    '',
  ])('is a 415 as %j, even when the text would parse', async (type) => {
    const answer = await world.post(QUOTE, '{"modelId":"ember-image"}', { 'content-type': type });

    expectEnvelope(answer, { status: 415, code: 'UNSUPPORTED_MEDIA' });
    expect(answer.body.error.message).toBe('Send the body as JSON, with content-type: application/json.');
  });

  it('is a 415 without a type', async () => {
    const answer = await world.send({
      method: 'POST',
      url: QUOTE,
      payload: Buffer.from('{"modelId":"ember-image"}'),
    });

    expectEnvelope(answer, { status: 415, code: 'UNSUPPORTED_MEDIA' });
  });

  it.each([
    'application/json',
    'Application/JSON',
    'application/json;charset=UTF-8',
    'application/json ; charset="utf8"',
  ])('is none of that as %j', async (type) => {
    const answer = await world.post(QUOTE, '{"modelId":"ember-image"}', { 'content-type': type });

    expect(answer.status).toBe(200);
  });
});
