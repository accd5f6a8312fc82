import { deflateSync, crc32 } from 'node:zlib';

import sharp from 'sharp';

import { ImageTooLarge, UnreadableImage, decodeImage } from '#platform/media/image-decoding';
import { Child } from '#platform/threads/child';
import { WalletCaller } from '../support/caller';
import { World } from '../support/world';

const chunk = (type: string, data: Buffer): Buffer => {
  const body = Buffer.concat([Buffer.from(type, 'latin1'), data]);
  const [length, sum] = [Buffer.alloc(4), Buffer.alloc(4)];
  length.writeUInt32BE(data.length);
  sum.writeUInt32BE(crc32(body));
  return Buffer.concat([length, body, sum]);
};

/** A PNG of one colour, which compresses to a thousandth of its size. */
const png = (width: number, height: number, { bits = 8, channels = 3, interlaced = false } = {}): Buffer => {
  const header = Buffer.alloc(13);
  header.writeUInt32BE(width, 0);
  header.writeUInt32BE(height, 4);
  header.set([bits, channels === 4 ? 6 : 2, 0, 0, interlaced ? 1 : 0], 8);
  const bytes = (width * channels * bits) / 8 + 1;
  return Buffer.concat([
    Buffer.from('\x89PNG\r\n\x1a\n', 'latin1'),
    chunk('IHDR', header),
    chunk('IDAT', deflateSync(Buffer.alloc(bytes * height), { level: 9 })),
    chunk('IEND', Buffer.alloc(0)),
  ]);
};

/** A small drawing that keeps all cores busy for a minute, because its filters cover millions of pixels. */
const slowDrawing = (): Buffer => {
  const filters = '<feTurbulence baseFrequency="0.9" numOctaves="9"/><feMorphology radius="60"/>'.repeat(6);
  return Buffer.from(
    `<svg xmlns="http://www.w3.org/2000/svg" width="2500" height="2500"><filter id="f">${filters}</filter>` +
      '<rect width="2500" height="2500" filter="url(#f)"/></svg>',
  );
};

describe('pictures that unpack to far more than they weigh', () => {
  let world: World;

  beforeAll(async () => {
    world = await World.start();
  });

  afterEach(() => world.expectBooksToBalance());
  afterAll(() => world.stop());

  const asSource = async (file: Buffer) => {
    const caller = await new WalletCaller().fund(world, 50_000_000n);
    const answer = await world.post(
      '/v1/agent/generate',
      { prompt: 'x', modelId: 'ember-edit', image: `data:image/png;base64,${file.toString('base64')}` },
      { 'sign-in-with-x': await caller.signIn(world) },
    );
    const left = await world.get(`/v1/agent/x402/balance/${caller.wallet}`);
    return { answer, left: left.body.balanceMicro };
  };

  it.each([
    ['more pixels than anybody may send', png(9_000, 8_000), 'larger than 64 megapixels'],
    ['few pixels of many bits', png(7_900, 8_000, { bits: 16, channels: 4 }), 'once it is decoded'],
  ])('are refused by their header: %s', async (_, file, words) => {
    const { answer, left } = await asSource(file);
    expect(answer.status).toBe(400);
    expect(answer.body.error).toMatchObject({ param: 'image', code: 'INVALID_REQUEST' });
    expect(answer.body.error.message).toContain(words);
    expect(left).toBe(50_000_000);
  });

  it('are decoded one after another when each takes all the room, and those of a neighbour in turn', async () => {
    const large = png(7_000, 7_000, { bits: 16 });
    const small = png(64, 64);
    const order: string[] = [];
    let running = 0;
    let most = 0;
    const ask = jest.spyOn(Child.prototype, 'ask');
    const original = ask.getMockImplementation()!;
    ask.mockImplementation(async function (this: Child, data) {
      running += 'steps' in data ? 1 : 0;
      most = Math.max(most, running);
      const result = await original.call(this, data);
      running -= 'steps' in data ? 1 : 0;
      return result;
    });
    const decode = async (name: string, file: Buffer): Promise<void> => {
      await decodeImage(file, name, [['resize', 8, 8], ['raw']]);
      order.push(name);
    };

    await Promise.all([...Array.from({ length: 4 }, () => decode('hog', large)), decode('neighbour', small)]);
    ask.mockRestore();

    expect(most).toBeLessThanOrEqual(2);
    expect(order.indexOf('neighbour')).toBeLessThanOrEqual(2);
  });

  it('are refused where their claim could not be held even alone', async () => {
    const liar = png(64, 64, { bits: 16, channels: 4 });
    liar.writeUInt32BE(7_999, 16);
    liar.writeUInt32BE(8_000, 20);
    liar.writeUInt32BE(crc32(liar.subarray(12, 29)), 29);
    await expect(decodeImage(liar, 'x', [['raw']])).rejects.toThrow(ImageTooLarge);
  });

  it('do not pass as references either, whose embedder decodes them too', async () => {
    const caller = await new WalletCaller().fund(world, 50_000_000n);
    const file = png(7_900, 8_000, { bits: 16, channels: 4 });
    const answer = await world.post(
      '/v1/agent/references',
      { media: `data:image/png;base64,${file.toString('base64')}`, label: 'a bomb' },
      { 'sign-in-with-x': await caller.signIn(world) },
    );
    expect(answer.status).toBe(400);
    const list = await world.get('/v1/agent/references', { 'sign-in-with-x': await caller.signIn(world) });
    expect(list.body.refs).toEqual([]);
  });

  it('never reach another reader than the five of pictures, whatever their label', async () => {
    const drawings: readonly (readonly [string, Buffer])[] = [
      ['svg', slowDrawing()],
      ['svg with a declaration', Buffer.concat([Buffer.from('<?xml version="1.0"?>'), slowDrawing()])],
      ['pdf', Buffer.from('%PDF-1.4\n1 0 obj<<>>endobj')],
      ['ppm', Buffer.from('P6 1 1 255 abc')],
      ['radiance', Buffer.from('#?RADIANCE\n\n-Y 1 +X 1\n')],
      ['tiff', Buffer.from('II*\0\x08\0\0\0', 'latin1')],
    ];
    const paths = ['/v1/agent/provenance/verify'];
    for (const [name, bytes] of drawings) {
      for (const path of paths) {
        const media = `data:image/png;base64,${bytes.toString('base64')}`;
        const answer = await world.post(path, { media });
        expect([name, answer.status, answer.body.error?.code]).toEqual([name, 415, 'UNSUPPORTED_MEDIA']);
      }
      await expect(sharp(bytes).metadata()).rejects.toThrow('unsupported image format');
      await expect(decodeImage(bytes, 'x', [['raw']])).rejects.toThrow(UnreadableImage);
    }
  });

  it('still lets through a photo of 64 megapixels', async () => {
    const photo = await sharp({ create: { width: 8_000, height: 8_000, channels: 3, background: '#246' } })
      .jpeg()
      .toBuffer();
    const { answer } = await asSource(photo);
    expect(answer.status).toBe(200);
  });
});
