import { once } from 'node:events';
import { type Server, type Socket, createServer } from 'node:net';

import { OriginClient } from '#platform/http/outgoing/origin-client';

const MEGABYTE = 1024 * 1024;
const HEAD = 'HTTP/1.1 200 OK\r\ncontent-type: application/json\r\n';

describe('a vendor whose answer is read whole', () => {
  let server: Server;
  let asks: OriginClient;
  let answer: (socket: Socket) => void;
  let sent: number;

  beforeEach(async () => {
    sent = 0;
    server = createServer((socket) => {
      socket.on('error', () => undefined).once('data', () => answer(socket));
    }).listen(0, '127.0.0.1');
    await once(server, 'listening');
    const { port } = server.address() as { port: number };
    asks = new OriginClient(new URL(`http://127.0.0.1:${port}`), { connections: 64, connectMsMax: 1_000 });
  });

  afterEach(async () => {
    await asks.close();
    server.close();
  });

  const ask = (signal = AbortSignal.timeout(5_000)) =>
    asks.ask({
      path: '/',
      method: 'POST',
      headers: {},
      body: '{}',
      signal,
      headersMsMax: 5_000,
      silenceMsMax: 5_000,
      bytesMax: MEGABYTE,
      onSent: () => {
        sent += 1;
      },
    });

  it.each([
    ['before a word', ''],
    ['in its head', 'HTTP/1.1 200 O'],
    ['in the middle of what it announced', `${HEAD}content-length: 1000000\r\n\r\n${'x'.repeat(500_000)}`],
    ['in a chunk', `${HEAD}transfer-encoding: chunked\r\n\r\nfffff\r\n${'x'.repeat(500_000)}`],
    [
      'after it changed protocols',
      'HTTP/1.1 101 Switching Protocols\r\nupgrade: x\r\nconnection: upgrade\r\n\r\n',
    ],
  ])('may hang up %s, on many at once, and each call is notified', async (_, words) => {
    answer = (socket) => socket.end(words, () => socket.destroy());

    const asked = await Promise.allSettled(Array.from({ length: 50 }, () => ask()));

    expect(asked.map(({ status }) => status)).toEqual(asked.map(() => 'rejected'));
    expect(sent).toBe(50);
  });

  it('is cut where it says too much, and distinguished from a complete one', async () => {
    answer = (socket) => socket.end(`${HEAD}\r\n${'x'.repeat(3 * MEGABYTE)}`);
    expect(await ask()).toMatchObject({ status: 200, isCut: true });

    answer = (socket) => socket.end(`${HEAD}\r\n{"a":1}`);
    const whole = await ask();
    expect([whole.isCut, whole.bytes.toString()]).toEqual([false, '{"a":1}']);
  });

  it('is left alone by a caller who has gone, before and while it is asked', async () => {
    answer = () => undefined;
    await expect(ask(AbortSignal.abort(new Error('gone')))).rejects.toThrow('gone');
    expect(sent).toBe(0);

    const leaving = new AbortController();
    const asked = ask(leaving.signal);
    setTimeout(() => leaving.abort(new Error('gone as well')), 50);
    await expect(asked).rejects.toThrow('gone as well');
    expect(sent).toBe(1);
  });
});
