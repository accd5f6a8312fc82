import { once } from 'node:events';
import { type Server, type ServerResponse, createServer } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';

import { SsrfGuard } from '#platform/http/outgoing/ssrf-guard';
import { SafeFetch } from '#platform/http/outgoing/safe-fetch';
import { ProviderHttp } from '#models/providers/http/provider-http';
import { lastPercentIn } from '#models/providers/http/last-percent';
import { KeyCaller } from '../support/caller';
import type { World } from '../support/world';
import { TextVendor, event, openStream, piece, usage } from './text-vendor';

const PATH = '/v1/chat/completions';

/** An error event without a listener ends the process; here it fails the test. */
describe('odd streams of a vendor', () => {
  let vendor: TextVendor;
  let world: World;
  let url: string;
  let caller: KeyCaller;

  beforeAll(async () => {
    vendor = await new TextVendor().start();
    world = await vendor.world();
    url = await world.listen();
    caller = await KeyCaller.register(world, 1_000_000_000n);
  });

  beforeEach(() => vendor.forget());
  afterEach(() => world.expectBooksToBalance());
  afterAll(async () => {
    await world.stop();
    await vendor.stop();
  });

  const ask = (stream: boolean) =>
    world.post(
      PATH,
      { model: 'words', messages: [{ role: 'user', content: 'hi' }], stream, max_tokens: 64 },
      { 'x-api-key': caller.key },
    );

  const spent = async (): Promise<number> => {
    const { body } = await world.get('/v1/account', { cookie: caller.cookie });
    return 1_000_000_000 - body.balanceMicro;
  };

  /** The bytes that a vendor may write after the headers; `raw` writes them below HTTP. */
  const BROKEN: readonly [string, (response: ServerResponse, socket: Socket) => void][] = [
    ['[DONE] at once', (response) => response.end(event('[DONE]'))],
    ['[DONE] at once, and it stays', (response) => response.write(event('[DONE]'))],
    [
      '[DONE] at once, and a reset',
      (response, socket) => {
        response.write(event('[DONE]'), () => socket.resetAndDestroy());
      },
    ],
    ['[DONE] after a word', (response) => response.end(piece({ content: 'Hel' }) + event('[DONE]'))],
    ['nothing', (response) => response.end()],
    ['a reset', (_response, socket) => socket.resetAndDestroy()],
    ['no JSON', (response) => response.end('data: {"choices":[\n\n')],
    ['JSON of no kind', (response) => response.end(event('7') + event('null') + event('[[]]'))],
    [
      'an error of its own',
      (response) => response.end(event({ error: { message: 'the-vendors-own-words' } })),
    ],
    [
      'an endless line',
      (response) => {
        const more = (): boolean => response.write('x'.repeat(65_536));
        response.on('drain', () => {
          while (!response.destroyed && more());
        });
        while (more());
      },
    ],
    [
      'an endless event',
      (response) => {
        const more = (): boolean => response.write(`data: ${'x'.repeat(65_000)}\n`);
        response.on('drain', () => {
          while (!response.destroyed && more());
        });
        while (more());
      },
    ],
  ];

  describe.each([true, false])('streamed: %s', (stream) => {
    it.each(BROKEN)('%s costs nothing and ends nobody', async (_, write) => {
      const before = await spent();
      vendor.next((response, _asked, { socket }) => {
        response.writeHead(200, { 'content-type': 'text/event-stream' }).flushHeaders();
        write(response, socket);
      });

      const answer = await ask(stream);

      expect(JSON.stringify(answer.body)).toContain('PROVIDER_UNAVAILABLE');
      expect(JSON.stringify(answer.body)).not.toContain('the-vendors-own-words');
      await pause(20); // No listener is left for a message that arrives now.
      expect(await spent()).toBe(before);
      expect((await ask(stream)).status).toBe(200);
    });

    it.each([4_000_000_000, 30_000_000, -1, 1.5, '__proto__'])(
      'a tool at index %p takes no room',
      async (index) => {
        vendor.next((response) => {
          openStream(response).write(
            piece({ tool_calls: [{ index, id: 'a', function: { name: 'f', arguments: '{}' } }] }) +
              piece({ tool_calls: [{ index: 1, id: 'b', function: { name: 'g', arguments: '{' } }] }) +
              piece({ tool_calls: [{ index: 1, function: { arguments: '}' } }] }, 'tool_calls') +
              usage(3, 2),
          );
          response.end(event('[DONE]'));
        });
        const before = process.memoryUsage().heapUsed;

        const answer = await ask(stream);

        expect(answer.status).toBe(200);
        expect(process.memoryUsage().heapUsed - before).toBeLessThan(100_000_000);
        if (!stream) {
          expect(answer.body.choices[0].message.tool_calls).toEqual([
            { id: 'b', type: 'function', function: { name: 'g', arguments: '{}' } },
          ]);
        }
      },
    );
  });

  it('a reader who pauses while the vendor goes ends nobody', async () => {
    let sent: (() => void) | undefined;
    const written = new Promise<void>((resolve) => (sent = resolve));
    vendor.next((response, _asked, { socket }) => {
      response.writeHead(200, { 'content-type': 'text/event-stream', connection: 'close' });
      for (let at = 0; at < 200; at += 1) response.write(piece({ content: 'word '.repeat(2_000) }));
      setTimeout(() => {
        socket.resetAndDestroy();
        sent?.();
      }, 300);
    });
    const abort = new AbortController();

    const answer = await fetch(`${url}${PATH}`, {
      method: 'POST',
      signal: abort.signal,
      headers: { 'content-type': 'application/json', authorization: `Bearer ${caller.key}` },
      body: JSON.stringify({ model: 'words', messages: [{ role: 'user', content: 'hi' }], stream: true }),
    });
    await answer.body?.getReader().read();
    await written;
    await pause(100);
    abort.abort();

    expect((await ask(true)).status).toBe(200);
  });
});

describe('a vendor that closes under a slow reader', () => {
  let server: Server;
  let origin: string;
  let leave: (response: ServerResponse) => void;

  beforeAll(async () => {
    server = createServer((_request, response) => {
      response.writeHead(200, { connection: 'close' });
      leave(response);
    });
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  });

  afterAll(() => {
    server.closeAllConnections();
    server.close();
  });

  const BODY = Buffer.alloc(512 * 1024, 'x');

  it.each<[string, (response: ServerResponse) => void]>([
    ['with a farewell', (response) => response.end(BODY)],
    ['without one', (response) => response.write(BODY, () => response.socket?.destroy())],
    [
      'with a reset',
      (response) => {
        response.write(BODY);
        setTimeout(() => response.socket?.resetAndDestroy(), 30);
      },
    ],
    [
      'after exactly what a reader takes in one go',
      (response) => {
        response.write(Buffer.alloc(65_536));
        setTimeout(() => response.socket?.resetAndDestroy(), 30);
      },
    ],
  ])('%s ends nobody', async (_, how) => {
    leave = how;
    const fetcher = new SafeFetch(new SsrfGuard({ fetchAllowHosts: [new URL(origin).host] }));
    const http = new ProviderHttp({ name: 'vendor', baseUrl: origin, headers: () => ({}) });
    const signal = AbortSignal.timeout(5_000);

    const streams = [
      ...(await Promise.all(
        Array.from({ length: 4 }, async () => (await fetcher.open(`${origin}/a`, { maxBytes: 1e7 })).stream),
      )),
      ...(await Promise.all(
        Array.from({ length: 4 }, () => http.open({ method: 'GET', path: 'a', signal })),
      )),
    ];
    const ends = await Promise.allSettled(
      streams.map(async (stream, at) => {
        let bytes = 0;
        for await (const chunk of stream) {
          bytes += (chunk as Buffer).length;
          await pause(20 + at); // The other side has disconnected after this time.
        }
        return bytes;
      }),
    );

    expect(ends).toHaveLength(8);
    await http.close();
  });

  it('waits for a reader who pauses, and is read to its end', async () => {
    const PIECES = 640;
    let said = 0;
    leave = (response) => {
      const more = (): void => {
        while (said < PIECES) {
          said += 1;
          if (!response.write(Buffer.alloc(65_536))) {
            response.once('drain', more);
            return;
          }
        }
        response.end();
      };
      more();
    };
    const http = new ProviderHttp({ name: 'vendor', baseUrl: origin, headers: () => ({}) });
    const body = await http.open({ method: 'GET', path: 'a', signal: AbortSignal.timeout(20_000) });

    for (let before = -1; before !== said; await pause(100)) before = said;
    expect(said).toBeLessThan(PIECES);
    let bytes = 0;
    for await (const chunk of body) bytes += chunk.length;
    expect(bytes).toBe(PIECES * 65_536);

    await http.close();
  });
});

it('a long line without a percent sign is read at once', () => {
  expect(lastPercentIn('a'.repeat(120_000))).toBeUndefined();
  expect(lastPercentIn('7'.repeat(120_000))).toBeUndefined();
  expect(lastPercentIn('%'.repeat(120_000))).toBeUndefined();
  expect(lastPercentIn('10% then 42%|####|')).toBe(42);
  expect(lastPercentIn('done: 100%')).toBe(99);
});
