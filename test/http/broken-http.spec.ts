import { once } from 'node:events';
import { connect } from 'node:net';

import { expectEnvelope } from '../support/envelope';
import { sendRaw } from '../support/raw-http';
import { World } from '../support/world';

const INVALID = { status: 400, code: 'INVALID_REQUEST', type: 'invalid_request_error' };

describe('bytes that are hardly HTTP', () => {
  let world: World;
  let url: string;

  beforeAll(async () => {
    world = await World.start();
    url = await world.listen();
  });
  afterAll(() => world.stop());

  it.each([
    ['nothing like a request', 'hello\r\n\r\n'],
    ['another protocol', '\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03\r\n\r\n'],
    ['an unknown version', 'GET / HTTP/9.9\r\nhost: x\r\n\r\n'],
    ['an unknown method', 'BREW /v1/models HTTP/1.1\r\nhost: x\r\n\r\n'],
    ['no Host', 'GET /v1/models HTTP/1.1\r\n\r\n'],
    ['a NUL in a header', 'GET /v1/models HTTP/1.1\r\nhost: x\r\nx-a: a\x00b\r\n\r\n'],
    ['a space before the colon', 'GET /v1/models HTTP/1.1\r\nhost : x\r\n\r\n'],
    ['a folded header', 'GET /v1/models HTTP/1.1\r\nhost: x\r\n x-a: 1\r\nx\r\n\r\n'],
    [
      'two lengths',
      'POST /v1/agent/quote HTTP/1.1\r\nhost: x\r\ncontent-length: 1\r\ncontent-length: 2\r\n\r\n{}',
    ],
    ['a negative length', 'POST /v1/agent/quote HTTP/1.1\r\nhost: x\r\ncontent-length: -1\r\n\r\n'],
    [
      'a length beside chunks',
      'POST /v1/agent/quote HTTP/1.1\r\nhost: x\r\ncontent-length: 5\r\ntransfer-encoding: chunked\r\n\r\n0\r\n\r\n',
    ],
    [
      'a chunk of nonsense length',
      'POST /v1/agent/quote HTTP/1.1\r\nhost: x\r\ncontent-type: application/json\r\ntransfer-encoding: chunked\r\n\r\nzz\r\n',
    ],
  ])('get the envelope: %s', async (_what, bytes) => {
    const answer = await sendRaw(url, bytes);

    expectEnvelope(answer, INVALID);
    expect(JSON.stringify(answer)).not.toMatch(/\bat \S+\.[jt]s|HPE_|node:/);
  });

  it('get the envelope when the headers are larger than 64 KB', async () => {
    const answer = await sendRaw(
      url,
      `GET /v1/models HTTP/1.1\r\nhost: x\r\nx-a: ${'a'.repeat(65_536)}\r\n\r\n`,
    );

    expectEnvelope(answer, { status: 431, code: 'INVALID_REQUEST' });
    expect(answer.body.error.message).toBe('The headers are larger than 64 KB.');
  });

  it('are none when a payment fills most of the 64 KB', async () => {
    const answer = await sendRaw(
      url,
      `GET /v1/models HTTP/1.1\r\nhost: x\r\npayment-signature: ${'a'.repeat(60_000)}\r\n\r\n`,
    );

    expect(answer.status).toBe(200);
  });

  it('are none with an expectation that nobody knows', async () => {
    const answer = await sendRaw(url, 'GET /v1/models HTTP/1.1\r\nhost: x\r\nexpect: miracles\r\n\r\n');

    expect(answer.status).toBe(200);
  });

  it('serve an old client that names no host', async () => {
    const answer = await sendRaw(url, 'GET /v1/models HTTP/1.0\r\n\r\n');

    expect(answer.status).toBe(200);
  });

  it('answer pipelined requests in their order', async () => {
    const one = (path: string): string => `GET ${path} HTTP/1.1\r\nhost: x\r\n\r\n`;
    const { hostname, port } = new URL(url);
    const socket = connect(Number(port), hostname);
    let text = '';
    socket.on('data', (chunk) => (text += String(chunk)));
    await once(socket, 'connect');

    socket.end(one('/nope') + one('/v1/models') + one('/v1/agent/quote'));
    await once(socket, 'close');

    expect(text.match(/HTTP\/1\.1 \d+/g)).toEqual(['HTTP/1.1 404', 'HTTP/1.1 200', 'HTTP/1.1 405']);
  });
});

describe('a sender that takes its time', () => {
  let world: World;
  let url: string;

  beforeAll(async () => {
    world = await World.start();
    url = await world.listen();
  });
  afterAll(() => world.stop());

  it('has ten seconds for its headers and two minutes for a body', () => {
    const server = world.app.getHttpServer();

    expect([server.headersTimeout, server.requestTimeout]).toEqual([10_000, 120_000]);
  });

  it('gets an error when its headers come too late', async () => {
    world.app.getHttpServer().headersTimeout = 200;

    const answer = await sendRaw(url, 'GET /v1/models HTTP/1.1\r\nhost: x\r\nx-drip:');

    expectEnvelope(answer, { status: 408, code: 'INVALID_REQUEST' });
    expect(answer.body.error.message).toBe('The request took too long to arrive.');
  });

  it('gets an error when its body comes too late', async () => {
    const server = world.app.getHttpServer();
    server.headersTimeout = 200;
    server.requestTimeout = 300;

    const answer = await sendRaw(
      url,
      'POST /v1/agent/quote HTTP/1.1\r\nhost: x\r\ncontent-type: application/json\r\ncontent-length: 100\r\n\r\n{"model',
    );

    expectEnvelope(answer, { status: 408, code: 'INVALID_REQUEST' });
  });
});
