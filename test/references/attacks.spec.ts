import { once } from 'node:events';
import { type IncomingMessage, type ServerResponse, createServer as createHttpServer } from 'node:http';
import { type AddressInfo, type Server, createServer } from 'node:net';
import { gzipSync } from 'node:zlib';

import sharp from 'sharp';

import { SystemResolver } from '#platform/http/outgoing/safe-fetch-network';
import { ContentPolicy } from '#models/providers/policy/content-policy';
import type { MediaRequest } from '#models/providers/media-provider';
import { Providers } from '#models/providers/providers';
import { type Answer, World } from '../support/world';
import { Library, clip, dataUri, keyCaller, picture, pictureUri } from './library-callers';

const MEGABYTE = 1024 * 1024;

/** Every field in which a caller can send a medium. */
const FIELDS = ['media', 'image', 'image2', 'video'] as const;
type Field = (typeof FIELDS)[number];

/** Addresses of this machine and its network, in the spellings of attackers. */
const inside = (port: number): readonly string[] => [
  `https://127.0.0.1:${port}/x.png`,
  `http://127.0.0.1:${port}/x.png`,
  'https://127.0.0.1/x.png',
  'https://127.1/x.png',
  'https://2130706433/x.png',
  'https://0x7f000001/x.png',
  'https://0177.0.0.1/x.png',
  'https://0/x.png',
  'https://0.0.0.0/x.png',
  'https://[::1]/x.png',
  'https://[::ffff:127.0.0.1]/x.png',
  'https://[::ffff:7f00:1]/x.png',
  'https://[::7f00:1]/x.png',
  'https://[64:ff9b::7f00:1]/x.png',
  'https://[2002:7f00:1::]/x.png',
  'https://[fe80::1%25eth0]/x.png',
  'https://[fd00::1]/x.png',
  'https://10.0.0.1/x.png',
  'https://192.168.0.1/x.png',
  'https://172.16.0.1/x.png',
  'https://169.254.169.254/latest/meta-data/',
  'https://１２７.0.0.1/x.png',
  'https://user:secret@127.0.0.1/x.png',
  'https://localhost/x.png',
  'https://localhost./x.png',
  'https://sub.localhost/x.png',
  'https://printer.local/x.png',
  'https://metadata.google.internal/x.png',
  'file:///etc/passwd',
  'gopher://127.0.0.1:6379/_INFO',
  'ftp://127.0.0.1/x.png',
  'blob:https://example.com/1',
  'javascript:alert(1)',
  'data:text/html,<b>',
  'https://example.com:22/x.png',
  'https://example.com:6379/x.png',
  'https:\\\\127.0.0.1\\x.png',
  'https://exa mple.com/x.png',
];

describe('media that are an attack', () => {
  let world: World;
  let library: Library;
  let still: string;
  let canary: Server;
  let touched = 0;
  let origin: ReturnType<typeof createHttpServer>;
  let serve: (request: IncomingMessage, response: ServerResponse) => void;
  let hits: string[] = [];

  beforeAll(async () => {
    canary = createServer((socket) => {
      touched += 1;
      socket.destroy();
    }).listen(0, '127.0.0.1');
    origin = createHttpServer((request, response) => {
      hits.push(request.url ?? '');
      serve(request, response);
    }).listen(0, '127.0.0.1');
    await Promise.all([once(canary, 'listening'), once(origin, 'listening')]);
    world = await World.start({ FETCH_ALLOW_HOSTS: `127.0.0.1:${(origin.address() as AddressInfo).port}` });
    library = new Library(world, await keyCaller(world, 500_000_000n));
    still = await pictureUri();
  });

  beforeEach(() => {
    hits = [];
    touched = 0;
  });

  afterEach(async () => {
    jest.restoreAllMocks();
    await world.expectBooksToBalance();
  });

  afterAll(async () => {
    await world.stop();
    origin.closeAllConnections();
    origin.close();
    canary.close();
  });

  const canaryPort = (): number => (canary.address() as AddressInfo).port;
  const urlOf = (path: string): string => `http://127.0.0.1:${(origin.address() as AddressInfo).port}${path}`;

  const send = (field: Field, source: string): Promise<Answer> => {
    const calls: Readonly<Record<Exclude<Field, 'media'>, object>> = {
      image: { modelId: 'ember-edit', image: source },
      image2: { modelId: 'mask-swap', image: still, image2: source },
      video: { modelId: 'puppet-motion', image: still, video: source },
    };
    return field === 'media' ? library.store(source) : library.generate({ prompt: 'x', ...calls[field] });
  };

  const expectNothingHappened = async (): Promise<void> => {
    expect(await world.db.rows('select from charge')).toEqual([]);
    expect((await library.list()).body.refs).toEqual([]);
    expect(touched).toBe(0);
  };

  describe.each(FIELDS)('as %s', (field) => {
    it('never make the service speak with itself or its neighbours', async () => {
      for (const url of inside(canaryPort())) {
        const answer = await send(field, url);
        expect([url, answer.status, answer.body.error.param]).toEqual([url, 400, field]);
      }
      await expectNothingHappened();
    });

    it('never do so by a name that leads inside, whichever of its addresses does', async () => {
      const lookUps = jest.spyOn(SystemResolver.prototype, 'addressesOf');
      for (const addresses of [
        ['127.0.0.1'],
        ['169.254.169.254'],
        ['::1'],
        ['93.184.216.34', '10.0.0.1'],
        [],
      ]) {
        lookUps.mockResolvedValue(addresses);
        const answer = await send(field, 'https://media.example.com/x.png');
        expect([addresses, answer.status, answer.body.error.code]).toEqual([
          addresses,
          400,
          'MEDIA_UNREACHABLE',
        ]);
      }
      await expectNothingHappened();
    });

    it('never do so by a redirect, nor by many', async () => {
      const targets = [
        `http://127.0.0.1:${canaryPort()}/x`,
        'https://169.254.169.254/',
        'file:///etc/passwd',
        '/again',
      ];
      for (const target of targets) {
        serve = (_, response) => void response.writeHead(302, { location: target }).end();
        const answer = await send(field, urlOf('/x.png'));
        expect([target, answer.status, answer.body.error.code]).toEqual([target, 400, 'MEDIA_UNREACHABLE']);
      }
      expect(hits.filter((path) => path === '/again')).toHaveLength(3);
      await expectNothingHappened();
    });

    it('are cut off where they do not end, whatever length they claim', async () => {
      const endless = (response: ServerResponse): void => {
        const piece = Buffer.alloc(MEGABYTE);
        const more = (): void => {
          while (!response.destroyed && response.write(piece));
        };
        response.on('drain', more);
        more();
      };
      const answers: Answer[] = [];
      for (const begin of [
        (response: ServerResponse) => void response.writeHead(200),
        (response: ServerResponse) => void response.writeHead(200, { 'content-length': 10 ** 12 }),
      ]) {
        serve = (_, response) => {
          begin(response);
          endless(response);
        };
        answers.push(await send(field, urlOf('/x.png')));
      }

      expect(answers.map(({ status, body }) => [status, body.error.param])).toEqual([
        [400, field],
        [400, field],
      ]);
      expect(answers.map(({ body }) => body.error.code)).toEqual(['PAYLOAD_TOO_LARGE', 'PAYLOAD_TOO_LARGE']);
      await expectNothingHappened();
    });

    it('are not unpacked', async () => {
      serve = (_, response) =>
        void response.writeHead(200, { 'content-encoding': 'gzip' }).end(gzipSync(Buffer.alloc(MEGABYTE)));

      expect((await send(field, urlOf('/x.png'))).body.error.code).toBe('MEDIA_UNREACHABLE');
      await expectNothingHappened();
    });

    it('are known by their bytes: a page, a drawing, half a file and a flood of pixels are none', async () => {
      const flood = await sharp({ create: { width: 9_000, height: 9_000, channels: 3, background: 'red' } })
        .png()
        .toBuffer();
      const files: readonly (readonly [string, Buffer])[] = [
        ['a page', Buffer.from('<html><script>alert(1)</script>')],
        ['a drawing', Buffer.from('<svg xmlns="http://www.w3.org/2000/svg"><script/></svg>')],
        [
          'a document type',
          Buffer.from('<?xml version="1.0"?><!DOCTYPE svg [<!ENTITY x SYSTEM "file:///etc/passwd">]>'),
        ],
        ['a script in a GIF', Buffer.from('GIF89a/*<script>alert(1)</script>*/=1;')],
        ['the head of a PNG', Buffer.from('\x89PNG\r\n\x1a\nPK\x03\x04', 'latin1')],
        ['the head of a film', Buffer.concat([Buffer.from('\0\0\0\x18ftypmp42'), Buffer.from('<html>')])],
        ['half a film', (await clip(1)).subarray(0, 60)],
        ['a program', Buffer.from('MZ\x90\0')],
        ['nothing', Buffer.alloc(0)],
        ['a flood of pixels', flood],
      ];
      for (const [what, bytes] of files) {
        serve = (_, response) => void response.writeHead(200, { 'content-type': 'image/png' }).end(bytes);
        for (const source of [urlOf('/x.png'), dataUri('image/png', bytes)]) {
          const { status, body } = await send(field, source);
          const statuses = field === 'media' ? [400, 415] : [400];
          expect([what, statuses.includes(status), body.error.param]).toEqual([what, true, field]);
        }
      }
      await expectNothingHappened();
    });
  });

  it('are fetched once: what was screened is what the provider gets', async () => {
    const good = await picture('green');
    const provider = world.app.get(Providers, { strict: false }).media('sandbox')!;
    const submitted = jest.spyOn(provider, 'submit');
    const screened = jest.spyOn(world.app.get(ContentPolicy, { strict: false }), 'screenImage');
    let sent: Buffer | undefined;
    submitted.mockImplementationOnce(async (request: MediaRequest) => {
      const chunks: Buffer[] = [];
      for await (const chunk of await request.image!.open()) chunks.push(chunk as Buffer);
      sent = Buffer.concat(chunks);
      throw new Error('seen');
    });
    serve = (_, response) => void response.end(hits.length === 1 ? good : 'something else');

    await send('image', urlOf('/swap.png'));

    expect(hits).toEqual(['/swap.png']);
    expect(sent?.equals(good)).toBe(true);
    expect(screened.mock.calls[0]?.[0].equals(good)).toBe(true);
  });

  it('are refused where a film is longer than what is billed for it', async () => {
    const answer = await library.generate({
      prompt: 'x',
      modelId: 'puppet-motion',
      duration: 5,
      image: still,
      video: dataUri('video/mp4', await clip(6)),
    });

    expect([answer.status, answer.body.error.param]).toEqual([400, 'video']);
    expect(answer.body.error.message).toContain('6.0 seconds');
  });
});
