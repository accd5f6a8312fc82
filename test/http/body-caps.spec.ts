import { expectEnvelope } from '../support/envelope';
import { sendRaw } from '../support/raw-http';
import { World } from '../support/world';

const head = (...lines: readonly string[]): string =>
  ['POST /v1/agent/quote HTTP/1.1', 'host: x', 'content-type: application/json', ...lines, '', ''].join(
    '\r\n',
  );

const chunk = (bytes: number): string => `${bytes.toString(16)}\r\n${' '.repeat(bytes)}\r\n`;

const CAP = 409_600;
const TOO_LARGE = { status: 413, code: 'PAYLOAD_TOO_LARGE', type: 'invalid_request_error' };

describe('a body beyond its route’s cap', () => {
  let world: World;
  let url: string;

  beforeAll(async () => {
    world = await World.start();
    url = await world.listen();
  });
  afterAll(() => world.stop());

  it('is refused by its announced length, before a byte of it was sent', async () => {
    const answer = await sendRaw(url, head(`content-length: ${CAP + 1}`));

    expectEnvelope(answer, TOO_LARGE);
    expect(answer.headers['connection']).toBe('close');
  });

  it('is refused while it streams in without a length', async () => {
    const answer = await sendRaw(
      url,
      head('transfer-encoding: chunked'),
      ...Array.from({ length: 7 }, () => chunk(65_536)),
    );

    expectEnvelope(answer, TOO_LARGE);
  });

  it('is none when it fills the cap exactly', async () => {
    const body = '{"modelId":"ember-image"}'.padEnd(CAP);

    const announced = await world.post('/v1/agent/quote', body);
    const streamed = await sendRaw(
      url,
      head('transfer-encoding: chunked'),
      `${CAP.toString(16)}\r\n${body}\r\n0\r\n\r\n`,
    );

    expect([announced.status, streamed.status]).toEqual([200, 200]);
  });

  it('is not read at all where nothing takes a body', async () => {
    const post = 'POST /nope HTTP/1.1\r\nhost: x\r\ncontent-type: application/json\r\n';

    const answer = await sendRaw(url, `${post}content-length: 99999999\r\n\r\n`);

    expect([404, 413]).toContain(answer.status);
    expect(answer.body.error.requestId).toBe(answer.headers['x-request-id']);
  });
});
