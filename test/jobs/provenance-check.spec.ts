import { createHash } from 'node:crypto';
import { setFlagsFromString } from 'node:v8';

import sharp from 'sharp';

import { ProvenanceCheckBody } from '#work/jobs/provenance-check.dto';
import { schemaOf } from '#platform/http/routes/schema-of';
import { hashImage } from '#platform/media/image-decoding';
import type { Guest } from '#kernel/slots';
import { ContentCredentials } from '#platform/credentials/content-credentials';
import { hashToHex } from '#kernel/perceptual-hash';
import { KeyCaller } from '../support/caller';
import { type Color, type Shape, drawnPicture } from '../support/drawn-picture';
import { type Answer, World } from '../support/world';

/** A number generator with a seed, so that the foreign pictures are the same in each run. */
const random = (seed: number): (() => number) => {
  let state = seed;
  return () => {
    state = (state * 1_664_525 + 1_013_904_223) % 2 ** 32;
    return state / 2 ** 32;
  };
};

/** A picture of circles and bars that this service did not make. */
const foreign = (seed: number): Promise<Buffer> => {
  const next = random(seed);
  const color = (): Color => [0, 0, 0].map(() => Math.floor(next() * 256)) as unknown as Color;
  const shapes = Array.from({ length: 12 }, (_, at): Shape =>
    at % 2 === 0
      ? { circle: [next() * 256, next() * 256, 20 + next() * 60], color: color() }
      : { bar: [next() * 256, next() * 256, next() * 150, next() * 150], color: color() },
  );
  return drawnPicture(color(), shapes).png().toBuffer();
};

const sha256 = (bytes: Buffer): string => createHash('sha256').update(bytes).digest('hex');

describe('the check of a file', () => {
  let world: World;
  let caller: KeyCaller;
  let made: Buffer;

  const check = (body: object, headers: Readonly<Record<string, string>> = {}): Promise<Answer> =>
    world.post('/v1/agent/provenance/verify', body, headers);
  const dataOf = (bytes: Buffer, mime: string): string => `data:${mime};base64,${bytes.toString('base64')}`;
  const withKey = (): Readonly<Record<string, string>> => ({ 'x-api-key': caller.key });

  beforeAll(async () => {
    world = await World.start();
    caller = await KeyCaller.register(world, 10_000_000n);
    const { body } = await world.post(
      '/v1/agent/generate',
      { modelId: 'ember-image', prompt: 'a red fox in the snow' },
      withKey(),
    );
    made = (await world.app.inject({ url: new URL(body.url).pathname })).rawPayload;
  });

  afterEach(() => world.expectBooksToBalance());
  afterAll(() => world.stop());

  it('finds a file by the hash of its bytes, and needs no credential', async () => {
    const { status, body } = await check({ sha256: sha256(made) });

    expect(status).toBe(200);
    expect(body).toEqual({
      found: true,
      match: 'exact',
      model: 'ember-image',
      createdAt: expect.any(String) as string,
      provenanceId: expect.stringMatching(/^prv_/) as string,
      distance: 0,
    });
    const { body: about } = await world.get(`/v1/agent/provenance/${body.provenanceId}`);
    expect(about).toMatchObject({ model: 'ember-image', createdAt: body.createdAt });
  });

  it.each<[string, string, (image: sharp.Sharp) => sharp.Sharp]>([
    ['half as large', 'image/png', (image) => image.resize({ width: 256 }).png()],
    ['a thumbnail', 'image/png', (image) => image.resize({ width: 96 }).png()],
    ['larger', 'image/jpeg', (image) => image.resize({ width: 1_400 }).jpeg()],
    ['compressed as JPEG', 'image/jpeg', (image) => image.jpeg({ quality: 40 })],
    ['compressed as WebP', 'image/webp', (image) => image.webp({ quality: 30 })],
    ['stripped of its metadata', 'image/png', (image) => image.png({ compressionLevel: 9 })],
    ['a little darker', 'image/png', (image) => image.modulate({ brightness: 0.9 }).png()],
  ])('recognises a picture that is %s', async (_, mime, change) => {
    const changed = await change(sharp(made)).toBuffer();

    const { body } = await check({ media: dataOf(changed, mime) }, withKey());

    expect(body).toMatchObject({ found: true, match: 'similar', model: 'ember-image' });
    expect(body.distance).toBeLessThanOrEqual(7);
    const hash = hashToHex((await hashImage(changed, 'test'))!);
    expect({ ...(await check({ perceptualHash: hash })).body, manifest: 'absent' }).toEqual(body);
  });

  it('recognises none of a hundred foreign pictures', async () => {
    const hashes = await Promise.all(
      Array.from({ length: 100 }, async (_, seed) =>
        hashToHex((await hashImage(await foreign(seed + 1), 'test'))!),
      ),
    );

    expect(new Set(hashes).size).toBeGreaterThan(95);
    const answers = await Promise.all(hashes.map((perceptualHash) => check({ perceptualHash })));
    expect(answers.map(({ body }) => body)).toEqual(hashes.map(() => ({ found: false, match: 'none' })));
  });

  it('finds every hash within seven bits, and none beyond', async () => {
    const hash = (await hashImage(made, 'test'))!;
    const flipped = (bits: readonly number[]): string =>
      hashToHex(bits.reduce((value, bit) => value ^ (1n << BigInt(bit)), hash));

    const near = await check({ perceptualHash: flipped([0, 9, 17, 25, 33, 41, 63]) });
    const far = await check({ perceptualHash: flipped([0, 9, 17, 25, 33, 41, 62, 63]) });

    expect(near.body).toMatchObject({ match: 'similar', distance: 7 });
    expect(far.body).toEqual({ found: false, match: 'none' });
  });

  it('takes a plain picture for like no other', async () => {
    const plain = await sharp({ create: { width: 64, height: 64, channels: 3, background: '#888' } })
      .png()
      .toBuffer();

    expect((await check({ media: dataOf(plain, 'image/png') })).body).toEqual({
      found: false,
      match: 'none',
      manifest: 'absent',
    });
  });

  it.each<[string, object, number, string]>([
    ['nothing', {}, 400, 'sha256'],
    ['no hash', { sha256: 'abc' }, 400, 'sha256'],
    ['no perceptual hash', { perceptualHash: 'XYZ' }, 400, 'perceptualHash'],
    ['a sound', { media: 'data:audio/mpeg;base64,AAAA' }, 400, 'media'],
    ['no picture', { media: 'data:image/png;base64,AAAA' }, 415, 'media'],
    ['no bytes', { media: 'data:image/jpeg;base64,G' }, 415, 'media'],
    ['no base64', { media: 'data:image/jpeg;base64,AA!A' }, 400, 'media'],
  ])('refuses %s', async (_, body, status, param) => {
    const answer = await check(body);

    expect([answer.status, answer.body.error.param]).toEqual([status, param]);
  });

  it.each([
    ['video/mp4', 'a picture that its label calls a film'],
    ['image/webp', 'a picture of another format than its label says'],
  ])('reads a file by its bytes, whatever its label: %s', async (mime) => {
    const { status, body } = await check({ media: dataOf(made.subarray(0), mime) }, withKey());

    expect([status, body.match, body.manifest]).toEqual([200, 'exact', 'valid']);
  });

  it('refuses a type that is not sold, whatever its label', async () => {
    const file = await sharp(made).resize(64).gif().toBuffer();
    const { status, body } = await check({ media: dataOf(file, 'image/png') }, withKey());

    expect([status, body.error?.code, body.error?.param]).toEqual([415, 'UNSUPPORTED_MEDIA', 'media']);
  });

  it('takes a large picture from an owner only', async () => {
    const large = await sharp(made).resize({ width: 1_500 }).png({ compressionLevel: 0 }).toBuffer();

    const { status } = await check({ media: dataOf(large, 'image/png') }, withKey());

    expect(status).toBe(200);
    expect((await check({ media: dataOf(large, 'image/png') })).status).toBeGreaterThanOrEqual(400);
  });

  it('has a schema that V8 can apply to a long file without optimising it', () => {
    const { properties } = schemaOf(ProvenanceCheckBody) as unknown as {
      properties: Readonly<Record<string, { pattern: string; maxLength: number }>>;
    };
    setFlagsFromString('--no-regexp-optimization');
    try {
      const pattern = new RegExp(properties['media']!.pattern, 'u');
      expect(pattern.test(`data:image/png;base64,${'A'.repeat(properties['media']!.maxLength - 30)}`)).toBe(
        true,
      );
    } finally {
      setFlagsFromString('--regexp-optimization');
    }
  });

  it('counts all addresses of a caller as one, as every limit does', async () => {
    const read = jest.spyOn(world.app.get(ContentCredentials, { strict: false }), 'read');
    for (const remoteAddress of ['2001:db8:1:2:aaaa::1', '2001:db8:1:2:bbbb::2', '2001:db8:1:3::1'])
      await world.send({
        method: 'POST',
        url: '/v1/agent/provenance/verify',
        remoteAddress,
        headers: { 'content-type': 'application/json' },
        payload: JSON.stringify({
          media: dataOf(
            await sharp(await foreign(9))
              .resize(16)
              .png()
              .toBuffer(),
            'image/png',
          ),
        }),
      });
    const guests = read.mock.calls.map(([, , guest]) => (guest as Guest).key);
    read.mockRestore();
    expect(guests).toHaveLength(3);
    expect(new Set(guests).size).toBe(2);
  });
});
