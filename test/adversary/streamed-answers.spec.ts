import { once } from 'node:events';
import { type Server, type Socket, createServer } from 'node:net';

import { OriginClient } from '#platform/http/outgoing/origin-client';

const HEAD = 'HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\n\r\n';

describe('a vendor whose answer is read as a stream', () => {
  let server: Server;
  let asks: OriginClient;
  let answer: (socket: Socket) => void;

  beforeEach(async () => {
    server = createServer((socket) => {
      socket.on('error', () => undefined).once('data', () => answer(socket));
    }).listen(0, '127.0.0.1');
    await once(server, 'listening');
    const { port } = server.address() as { port: number };
    asks = new OriginClient(new URL(`http://127.0.0.1:${port}`), { connections: 1, connectMsMax: 1_000 });
  });

  afterEach(async () => {
    await asks.close();
    server.close();
  });

  const open = (headersMsMax: number) =>
    asks.open({
      path: '/',
      method: 'POST',
      headers: {},
      body: '{}',
      signal: AbortSignal.timeout(5_000),
      headersMsMax,
      silenceMsMax: 5_000,
    });

  it('gets no more time for informational answers', async () => {
    answer = (socket) => {
      const timer = setInterval(() => socket.write('HTTP/1.1 103 Early Hints\r\n\r\n'), 50);
      socket.on('close', () => clearInterval(timer));
    };

    await expect(open(500)).rejects.toThrow('took too long');
  });

  it('is given up in time by a call that waits for a connection', async () => {
    answer = (socket) => {
      const timer = setInterval(() => socket.write('x'), 20);
      socket.write(HEAD);
      socket.on('close', () => clearInterval(timer));
    };
    const { body } = await open(5_000);

    await expect(open(500)).rejects.toThrow('took too long');
    body.stop();
  });
});
