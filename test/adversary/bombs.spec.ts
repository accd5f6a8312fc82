import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { crc32, deflateSync } from 'node:zlib';

import sharp from 'sharp';

import { Guest } from '#kernel/slots';
import { ContentCredentials } from '#platform/credentials/content-credentials';
import { probeFilm } from '#platform/media/film-probe';
import { hashImage } from '#platform/media/image-decoding';
import { KeyCaller } from '../support/caller';
import { dataUri } from '../references/library-callers';
import { World } from '../support/world';

/** No bomb may hold up other calls for longer. The limits of single readers are longer than this. */
const STALL_MS_MAX = 1_000;
const SECONDS_MAX = 40;

const u32 = (...numbers: readonly number[]): Buffer => {
  const bytes = Buffer.alloc(4 * numbers.length);
  numbers.forEach((number, at) => bytes.writeUInt32BE(number, 4 * at));
  return bytes;
};
const latin1 = (text: string): Buffer => Buffer.from(text, 'latin1');

const chunk = (type: string, data: Buffer): Buffer => {
  const body = Buffer.concat([latin1(type), data]);
  return Buffer.concat([u32(data.length), body, u32(crc32(body))]);
};
const png = (width: number, height: number, rows: Buffer, ...more: readonly Buffer[]): Buffer =>
  Buffer.concat([
    latin1('\x89PNG\r\n\x1a\n'),
    chunk('IHDR', Buffer.concat([u32(width, height), Buffer.from([8, 0, 0, 0, 0])])),
    ...more,
    chunk('IDAT', rows),
    chunk('IEND', Buffer.alloc(0)),
  ]);
const smallPng = (...more: readonly Buffer[]): Buffer => png(1, 1, deflateSync(Buffer.alloc(2)), ...more);

const box = (type: string, ...content: readonly Buffer[]): Buffer => {
  const bytes = Buffer.concat(content);
  return Buffer.concat([u32(8 + bytes.length), latin1(type), bytes]);
};
const nested = (type: string, depth: number): Buffer => {
  const heads = Array.from({ length: depth }, (_, at) =>
    Buffer.concat([u32(8 * (depth - at)), latin1(type)]),
  );
  return Buffer.concat(heads);
};
const FTYP = box('ftyp', latin1('isom\0\0\0\0isom'));
const MEGABYTE = 1024 * 1024;

/** A description and nested boxes of a manifest store. */
const jumbf = (depth: number): Buffer => {
  const about = box(
    'jumd',
    Buffer.from('63327061001100108000 00aa00389b71'.replaceAll(' ', ''), 'hex'),
    Buffer.from([3]),
    latin1('c2pa\0'),
  );
  let inner = about;
  for (let level = 0; level < depth; level += 1) inner = box('jumb', about, inner);
  return inner;
};
/** CBOR of an array with so many empty arrays: each is one byte, and several in JSON. */
const cborArrays = (count: number): Buffer =>
  Buffer.concat([Buffer.from([0x9a]), u32(count), Buffer.alloc(count, 0x80)]);

const gifOf = (frames: number): Buffer => {
  const size = Buffer.from([0xff, 0x1f, 0xff, 0x1f]);
  const frame = Buffer.concat([Buffer.from([0x2c, 0, 0, 0, 0]), size, Buffer.from([0, 2, 1, 0x44, 0])]);
  return Buffer.concat([
    latin1('GIF89a'),
    size,
    Buffer.from([0x80, 0, 0, 0, 0, 0, 255, 255, 255]),
    ...Array.from({ length: frames }, () => frame),
    Buffer.from([0x3b]),
  ]);
};

/** A progressive picture whose last scan is repeated. */
const manyScans = async (scans: number): Promise<Buffer> => {
  const file = await sharp({ create: { width: 4_000, height: 4_000, channels: 3, background: '#246' } })
    .jpeg({ progressive: true })
    .toBuffer();
  const last = file.lastIndexOf(Buffer.from([0xff, 0xda]));
  const scan = file.subarray(last, -2);
  return Buffer.concat([
    file.subarray(0, -2),
    ...Array.from({ length: scans }, () => scan),
    file.subarray(-2),
  ]);
};

const samplesClaimed = (count: number): Buffer =>
  Buffer.concat([
    FTYP,
    box(
      'moov',
      box('mvhd', u32(0, 0, 0, 1_000, 1_000), Buffer.alloc(80)),
      box(
        'trak',
        box('tkhd', u32(7, 0, 0, 1, 0, 1_000), Buffer.alloc(60)),
        box(
          'mdia',
          box('mdhd', u32(0, 0, 0, 1_000, 1_000, 0)),
          box('hdlr', u32(0, 0), latin1('vide'), Buffer.alloc(13)),
          box(
            'minf',
            box(
              'stbl',
              box(
                'stsd',
                u32(0, 1),
                box('avc1', Buffer.alloc(78), box('avcC', Buffer.from([1, 66, 0, 30, 255, 224, 0]))),
              ),
              box('stts', u32(0, 1, count, 1)),
              box('stsc', u32(0, 1, 1, count, 1)),
              box('stsz', u32(0, 1, count)),
              box('stco', u32(0, 1, 40)),
            ),
          ),
        ),
      ),
    ),
    box('mdat', Buffer.alloc(1_000)),
  ]);

describe('files that are made to exhaust their reader', () => {
  let world: World;
  let caller: KeyCaller;

  beforeAll(async () => {
    world = await World.start();
    caller = await KeyCaller.register(world, 50_000_000n);
  });
  afterEach(async () => {
    await world.expectBooksToBalance();
    expect((await world.get('/v1/agent/status')).status).toBe(200);
  });
  afterAll(() => world.stop());

  /** Fails if the work takes long, or holds up this process. */
  const inBounds = async <T>(work: () => Promise<T>): Promise<T> => {
    const delay = monitorEventLoopDelay({ resolution: 10 });
    delay.enable();
    const started = performance.now();
    const result = await work();
    delay.disable();
    expect((performance.now() - started) / 1_000).toBeLessThan(SECONDS_MAX);
    expect(delay.max / 1e6).toBeLessThan(STALL_MS_MAX);
    return result;
  };

  it.each([
    [
      'a header of a chunk that unpacks to 200 MB',
      async () =>
        smallPng(
          chunk('zTXt', Buffer.concat([latin1('Comment\0\0'), deflateSync(Buffer.alloc(200 * MEGABYTE))])),
        ),
    ],
    [
      'a colour profile that unpacks to 200 MB',
      async () =>
        smallPng(chunk('iCCP', Buffer.concat([latin1('p\0\0'), deflateSync(Buffer.alloc(200 * MEGABYTE))]))),
    ],
    [
      'a hundred thousand chunks',
      async () =>
        smallPng(Buffer.concat(Array.from({ length: 100_000 }, () => chunk('tEXt', latin1('a\0b'))))),
    ],
    ['more rows than its header claims', async () => png(10, 10, deflateSync(Buffer.alloc(200 * MEGABYTE)))],
    ['a thousand scans', () => manyScans(1_000)],
    ['a thousand frames of 64 megapixels', async () => gifOf(1_000)],
    [
      'an AVIF header of nested boxes',
      async () => Buffer.concat([box('ftyp', latin1('avif\0\0\0\0avif')), nested('meta', 100_000)]),
    ],
    [
      'a WebP file that claims 4 GB',
      async () =>
        Buffer.concat([
          latin1('RIFF\xff\xff\xff\xffWEBPVP8X'),
          u32(0x0a00_0000),
          Buffer.alloc(4),
          Buffer.alloc(6, 255),
        ]),
    ],
  ] as const)('end soon as a picture: %s', async (_, make) => {
    const file = await make();
    await inBounds(() => hashImage(file, 'x').catch((error: unknown) => error));
    const answer = await inBounds(() =>
      world.post(
        '/v1/agent/generate',
        { prompt: 'x', modelId: 'ember-edit', image: dataUri('image/png', file) },
        { 'x-api-key': caller.key },
      ),
    );
    expect(answer.status).toBeLessThan(500);
  });

  it.each([
    ['four billion samples', () => samplesClaimed(0xffff_ffff)],
    ['a hundred million samples', () => samplesClaimed(100_000_000)],
    ['boxes in boxes', () => Buffer.concat([FTYP, nested('moov', 1_000_000)])],
    [
      'a million small boxes',
      () => Buffer.concat([FTYP, ...Array.from({ length: 1_000_000 }, () => box('free'))]),
    ],
    [
      'a table of 30 MB',
      () =>
        Buffer.concat([
          FTYP,
          box(
            'moov',
            box(
              'trak',
              box(
                'mdia',
                box('minf', box('stbl', box('stsz', u32(0, 0, 7_500_000), Buffer.alloc(30 * MEGABYTE)))),
              ),
            ),
          ),
        ]),
    ],
    [
      'WebM elements without an end',
      () =>
        Buffer.concat([
          u32(0x1a45dfa3),
          Buffer.from([0x80]),
          ...Array.from({ length: 300_000 }, () =>
            Buffer.from([0x18, 0x53, 0x80, 0x67, 0xff, 0x1f, 0x43, 0xb6, 0x75, 0xff]),
          ),
        ]),
    ],
    ['a play list', () => latin1('#EXTM3U\n#EXTINF:10,\n/etc/passwd\n')],
    ['24 MB of line breaks', () => Buffer.concat([latin1('#EXTM3U\n'), Buffer.alloc(24 * MEGABYTE, '\n')])],
  ] as const)('end soon as a film: %s', async (_, make) => {
    const path = join(mkdtempSync(join(tmpdir(), 'lamppost-bomb-')), 'film');
    writeFileSync(path, make());
    const film = await inBounds(() => probeFilm(path, 'x', 5_000));

    expect(film?.whole ?? false).toBe(false);
  });

  it.each([
    ['nested boxes', () => jumbf(2_000)],
    ['a hundred thousand nested boxes', () => nested('jumb', 100_000)],
    ['a box that claims 4 GB', () => Buffer.concat([u32(0xffff_ffff), latin1('jumb'), Buffer.alloc(100)])],
    [
      'millions of empty arrays',
      () => box('jumb', jumbf(0), box('jumb', jumbf(0), box('cbor', cborArrays(8_000_000)))),
    ],
    ['deep arrays', () => box('jumb', jumbf(0), box('cbor', Buffer.alloc(5_000_000, 0x81)))],
    ['random bytes', () => Buffer.alloc(MEGABYTE, 'jumb?')],
  ] as const)('end soon as a manifest: %s', async (_, make) => {
    const file = smallPng(chunk('caBX', make()));
    const credentials = world.app.get(ContentCredentials, { strict: false });
    const found = await inBounds(() => credentials.read(file, 'image/png', new Guest('x')));

    expect(found?.manifest ?? 'invalid').not.toBe('valid');
  });
});
