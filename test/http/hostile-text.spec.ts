import { CapturedLog } from '../support/captured-log';
import { expectEnvelope } from '../support/envelope';
import { sendRaw } from '../support/raw-http';
import { World } from '../support/world';

const INVALID = { status: 400, code: 'INVALID_REQUEST', type: 'invalid_request_error' };

describe('text that is meant to break out of its place', () => {
  let world: World;
  let url: string;

  beforeAll(async () => {
    world = await World.start();
    url = await world.listen();
  });
  afterAll(() => world.stop());

  it.each([
    '/v1/agent/%00',
    '/v1/agent/models%00',
    '/v1/agent/models%0d%0aset-cookie:%20a=1',
    '/v1/agent/models%0D%0A',
    '/v1/models?x=%00',
    '/v1/models?x=a%0d%0ab',
    '/v1/models%7f',
    '/v1/agent/%1b[31m',
  ])('is a 400 in an address: %s', async (path) => {
    const answer = await sendRaw(url, `GET ${path} HTTP/1.1\r\nhost: x\r\n\r\n`);

    expectEnvelope(answer, INVALID);
    expect(answer.body.error.message).toBe('The address holds control characters.');
    expect(answer.headers['set-cookie']).toBeUndefined();
  });

  it.each([
    '/v1/agent/%zz',
    '/v1/agent/%',
    '/v1/agent/%ff',
    '/v1/agent/%c0%af',
    '/%e2%80%ae/x',
    '/v1/agent/..%2f..',
  ])('is at most not found in an address: %s', async (path) => {
    const answer = await sendRaw(url, `GET ${path} HTTP/1.1\r\nhost: x\r\n\r\n`);

    expect([400, 404]).toContain(answer.status);
    expect(answer.body.error.requestId).toBe(answer.headers['x-request-id']);
  });

  it('is at most not found when it is an address of sixty kilobytes', async () => {
    const answer = await sendRaw(url, `GET /v1/agent/${'a'.repeat(60_000)} HTTP/1.1\r\nhost: x\r\n\r\n`);

    expectEnvelope(answer, { status: 404, code: 'NOT_FOUND' });
  });

  it.each(['a\r\nset-cookie: evil=1', 'a\nx', '\r\n\r\n<html>', 'x\u2028y'])(
    'never becomes a header when it is a model’s name: %j',
    async (modelId) => {
      const answer = await world.post('/v1/agent/quote', { modelId });

      expectEnvelope(answer, { status: 404, code: 'UNKNOWN_MODEL', param: 'modelId' });
      expect(answer.headers['set-cookie']).toBeUndefined();
    },
  );

  it.each([
    '"\';--',
    "' or 1=1 --",
    '<script>alert(1)</script>',
    '${7*7}',
    '{{7*7}}',
    '../../etc/passwd',
    '%s%n',
  ])('is only a name that nobody has: %s', async (modelId) => {
    const answer = await world.post('/v1/agent/quote', { modelId, resolution: modelId });

    expectEnvelope(answer, { status: 404, code: 'UNKNOWN_MODEL', param: 'modelId' });
    expect(answer.headers['content-type']).toBe('application/json; charset=utf-8');
  });

  it('is refused by its length before anyone reads it', async () => {
    const answer = await world.post('/v1/agent/quote', { modelId: 'x'.repeat(300_000) });

    expectEnvelope(answer, { ...INVALID, param: 'modelId' });
    expect(answer.body.error.message).toBe('modelId must be at most 100 characters long.');
  });

  it('counts as one character what people see as one', async () => {
    const fits = await world.post('/v1/agent/quote', { modelId: 'lumen-flash', prompt: '🦊'.repeat(48_000) });
    const doesNot = await world.post('/v1/agent/quote', {
      modelId: 'lumen-flash',
      prompt: '🦊'.repeat(48_001),
    });

    expect([fits.status, doesNot.status]).toEqual([200, 400]);
  });

  it('is in the log as one line without the body', async () => {
    const log = CapturedLog.start();

    await world.post('/v1/agent/quote', { modelId: 'hunter2\n{"level":"fatal"}\u001b[31m' });
    await world.get('/v1/agent/hunter2%22%7d', { 'user-agent': 'hunter2 {"level":"fatal"}' });
    log.release();

    const lines = [...log.others, ...log.warnings, ...log.errors];
    expect(lines.length).toBeGreaterThan(0);
    expect(lines.join('|')).not.toMatch(/hunter2|fatal|\n/);
  });
});
