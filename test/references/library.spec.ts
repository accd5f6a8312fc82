import sharp from 'sharp';

import { BlobStore } from '#platform/storage/blob-store';
import { World } from '../support/world';
import { EVERYBODY, Library, clipUri, dataUri, keyCaller, picture, pictureUri } from './library-callers';

describe('a library of references', () => {
  let world: World;

  beforeAll(async () => {
    world = await World.start();
  });
  afterAll(() => world.stop());

  const blobOf = async (id: string) => world.app.get(BlobStore, { strict: false }).head(`references/${id}`);
  const pathOf = (url: string): string => new URL(url).pathname;
  const file = (url: string) => world.app.inject({ method: 'GET', url: pathOf(url) });

  describe.each(EVERYBODY)('of %s', (_, callerOf) => {
    let library: Library;

    beforeAll(async () => {
      library = new Library(world, await callerOf(world));
    });

    it('keeps an image, lists it with a good address, finds it and deletes it with its blob', async () => {
      const bytes = await picture('red');

      const stored = await library.store(dataUri('image/png', bytes), 'A red car');

      expect(stored.status).toBe(201);
      expect(stored.body).toEqual({
        ok: true,
        asset: {
          id: expect.stringMatching(/^ref_/),
          kind: 'image',
          mime: 'image/png',
          bytes: bytes.length,
          label: 'A red car',
          url: expect.stringContaining(`${world.settings.http.publicUrl}/references/`),
          vectorReady: 0,
          createdAt: expect.any(String),
        },
      });
      await library.untilSearchable();
      const { id } = stored.body.asset;
      const listed = await library.list();
      const found = await library.search('red car');
      expect(listed.body.refs).toEqual([expect.objectContaining({ id, vectorReady: 1 })]);
      expect(found.body.refs).toEqual([expect.objectContaining({ id, score: expect.any(Number) })]);
      expect((await file(listed.body.refs[0].url)).rawPayload.equals(bytes)).toBe(true);

      const deleted = await library.delete(id);

      expect([deleted.status, deleted.body]).toEqual([200, { ok: true }]);
      expect((await library.list()).body.refs).toEqual([]);
      expect((await library.search('red car')).body.refs).toEqual([]);
      expect(await blobOf(id)).toBeUndefined();
      expect((await file(listed.body.refs[0].url)).statusCode).toBe(404);
      expect((await library.delete(id)).status).toBe(404);
    });

    it('keeps a video', async () => {
      const stored = await library.store(await clipUri(2), 'Waves');

      expect(stored.body.asset).toMatchObject({ kind: 'video', mime: 'video/mp4' });
    });
  });

  it('answers the same marked call again, also one with a video, and no other call with its mark', async () => {
    const owner = await keyCaller(world);
    const send = async (mark: string, media: string, label: string) =>
      world.post(
        '/v1/agent/references',
        { media, label },
        { ...(await owner.headers()), 'idempotency-key': mark },
      );
    const [media, film] = await Promise.all([pictureUri(), clipUri()]);

    const first = await send('the first mark', media, 'A red car');
    const again = await send('the first mark', media, 'A red car');
    const other = await send('the first mark', film, 'A red car');
    const others = await Promise.all([1, 2, 3].map(() => send('another mark', film, 'A film')));

    expect([again.status, again.body.asset.id, again.headers['idempotent-replayed']]).toEqual([
      201,
      first.body.asset.id,
      'true',
    ]);
    expect([other.status, other.body.error.code]).toEqual([422, 'IDEMPOTENCY_MISMATCH']);
    expect(new Set(others.map(({ status, body }) => `${status} ${body.asset?.id}`)).size).toBe(1);
    expect((await new Library(world, owner).list()).body.refs).toHaveLength(2);
  });

  it('answers the same bytes again as the one asset, also when they come at the same moment', async () => {
    const library = new Library(world, await keyCaller(world));
    const media = await pictureUri();

    const answers = await Promise.all([1, 2, 3, 4, 5].map((n) => library.store(media, `label ${n}`)));
    const again = await library.store(media, 'another label');

    expect(new Set([...answers, again].map(({ status }) => status))).toEqual(new Set([201]));
    expect(new Set([...answers, again].map(({ body }) => body.asset.id)).size).toBe(1);
    expect((await library.list()).body.refs).toHaveLength(1);
    expect(await world.db.rows('select from reference_trash')).toEqual([]);
  });

  it('serves a reference as a file to be saved, in parts too, and never as a page', async () => {
    const library = new Library(world, await keyCaller(world));
    const { body } = await library.store(await pictureUri());

    const whole = await file(body.asset.url);
    const part = await world.app.inject({
      method: 'GET',
      url: pathOf(body.asset.url),
      headers: { range: 'bytes=1-3' },
    });

    expect((await sharp(whole.rawPayload).metadata()).format).toBe('png');
    expect(whole.headers).toMatchObject({
      'content-type': 'image/png',
      'content-disposition': expect.stringMatching(/^attachment;/),
      'content-security-policy': "default-src 'none'; sandbox",
      'x-content-type-options': 'nosniff',
      'cache-control': expect.stringMatching(/^private/),
    });
    expect([whole.statusCode, part.statusCode, part.payload]).toEqual([200, 206, 'PNG']);
  });
});
