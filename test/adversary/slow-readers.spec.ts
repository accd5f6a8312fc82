import { once } from 'node:events';
import { type Socket, connect } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';

import { KeyCaller } from '../support/caller';
import { expectEventually } from '../support/eventually';
import type { World } from '../support/world';
import { TextVendor, openStream, piece } from './text-vendor';

const WORDS = 'all work and no play makes a dull lamp '.repeat(100);
/** More than the service and the sockets on both sides keep for a reader. */
const BYTES = 48 * 1024 * 1024;
const HI = [{ role: 'user', content: 'hi' }];
const ROUTES: readonly (readonly [string, object])[] = [
  ['/v1/chat/completions', { model: 'words', messages: HI, stream: true, max_tokens: 4_096 }],
  ['/v1/messages', { model: 'words', messages: HI, stream: true, max_tokens: 4_096 }],
  ['/v1/responses', { model: 'words', input: 'hi', stream: true, max_output_tokens: 4_096 }],
  [
    '/v1beta/models/words:streamGenerateContent?alt=sse',
    { contents: [{ role: 'user', parts: [{ text: 'hi' }] }], generationConfig: { maxOutputTokens: 4_096 } },
  ],
];

describe('a caller who does not read', () => {
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

  const send = async (path: string, body: object): Promise<Socket> => {
    const { hostname, port } = new URL(url);
    const socket = connect(Number(port), hostname);
    socket.on('error', () => undefined);
    await once(socket, 'connect');
    const text = JSON.stringify(body);
    socket.pause();
    socket.write(
      `POST ${path} HTTP/1.1\r\nhost: x\r\nx-api-key: ${caller.key}\r\ncontent-type: application/json\r\n` +
        `content-length: ${Buffer.byteLength(text)}\r\n\r\n${text}`,
    );
    return socket;
  };
  const lastCharge = async (): Promise<{ state: string; micro: number }> =>
    (await world.db.one<{ state: string; micro: number }>(
      `select state, price_micro::float8 as micro from charge order by created_at desc, id desc limit 1`,
    ))!;
  /** Writes until the service reads no more, or all is written; then cuts the stream like a vendor with a time limit. */
  const writesThenCuts = (): Promise<number> =>
    new Promise((resolve) => {
      vendor.next((response, _asked, { socket }) => {
        openStream(response);
        const one = piece({ content: WORDS });
        let written = 0;
        let timer: NodeJS.Timeout | undefined;
        const cut = (): void => {
          socket.resetAndDestroy();
          resolve(written);
        };
        // A busy machine is no reader that stopped: each tick gives the service a turn to read.
        const cutAfter = (ticks: number): void => {
          timer = setTimeout(() => (ticks > 1 ? cutAfter(ticks - 1) : cut()), 100);
        };
        const more = (): void => {
          clearTimeout(timer);
          while (written < BYTES && !response.destroyed) {
            written += one.length;
            if (!response.write(one)) {
              cutAfter(10);
              return;
            }
          }
          setTimeout(cut, 200);
        };
        response.on('drain', more);
        more();
      });
    });

  it.each(ROUTES)(
    'pays at %s for what was produced until the vendor cut the stalled stream',
    async (path, body) => {
      const cut = writesThenCuts();

      const socket = await send(path, body);
      expect(await cut).toBeLessThan(BYTES); // The service keeps a bounded part for a slow reader.
      socket.resume();
      await expectEventually(async () => (await lastCharge()).state !== 'held');
      socket.destroy();

      const { state, micro } = await lastCharge();
      expect(state).toBe('charged');
      expect(micro).toBeGreaterThan(50_000); // 4,096 tokens at $15 a million are $0.06.
    },
  );

  it('makes the vendor wait for no answer of a usual length', async () => {
    let isRead = false;
    vendor.next((response) => {
      openStream(response);
      for (let n = 0; n < 1_500; n += 1) response.write(piece({ content: 'a dull lamp ' }));
      response.end(`${piece({}, 'stop')}data: [DONE]\n\n`, () => (isRead = true));
    });

    const socket = await send(...ROUTES[0]!);
    await expectEventually(() => isRead);

    await expectEventually(async () => (await lastCharge()).state === 'charged');
    socket.destroy();
  });

  it('still pays nothing for a stream that its vendor cuts while it reads', async () => {
    vendor.next((response, _asked, { socket }) => {
      openStream(response).write(piece({ content: 'Hel' }));
      setTimeout(() => socket.resetAndDestroy(), 100);
    });

    const socket = await send(...ROUTES[0]!);
    let said = '';
    socket.on('data', (data) => (said += String(data))).resume();
    await expectEventually(() => said.includes('PROVIDER_UNAVAILABLE'));

    expect((await lastCharge()).state).toBe('released');
    expect(said).toContain('"charge":{"id":"ch_');
    expect(said).toContain('"state":"released","priceMicro":0');
    socket.destroy();
    await pause(20);
  });
});
