import { BlobStore } from '#platform/storage/blob-store';
import { type Answer, World } from '../support/world';
import { Library, keyCaller, pictureUri, walletCaller } from './library-callers';

const MAX = 100;

describe('the limits of a library', () => {
  let world: World;
  afterEach(() => world.stop());

  it('hold exactly under 150 additions at once, and what was refused leaves nothing', async () => {
    world = await World.start();
    const library = new Library(world, await walletCaller(world));
    const media = await Promise.all(Array.from({ length: 150 }, () => pictureUri()));
    const put = jest.spyOn(world.app.get(BlobStore, { strict: false }), 'put');

    // A busy machine refuses some of so many concurrent additions with a 503, and their caller repeats them.
    const store = async (one: string): Promise<Answer> => {
      const answer = await library.store(one);
      return answer.status === 503 ? store(one) : answer;
    };
    const answers = await Promise.all(media.map(store));

    const stored = answers.filter(({ status }) => status === 201);
    const refused = answers.filter(({ status }) => status === 429);
    expect([stored.length, refused.length]).toEqual([MAX, 50]);
    expect(refused[0]?.body.error).toMatchObject({ code: 'LIBRARY_FULL', retryable: false });
    expect((await library.list()).body.refs).toHaveLength(MAX);
    const blobs = world.app.get(BlobStore, { strict: false });
    // The log of money is published to the same store.
    const keys = put.mock.calls.map(([key]) => key).filter((key) => key.startsWith('references/'));
    const kept = await Promise.all(keys.map((key) => blobs.head(key)));
    expect(kept.filter((blob) => blob !== undefined)).toHaveLength(MAX);
    expect(await world.db.rows('select from reference_trash')).toEqual([]);

    const again = await library.store(media[answers.findIndex(({ status }) => status === 201)]);
    expect(again.status).toBe(201); // The library has this medium already, so it needs no slot.

    await library.delete(stored[0]?.body.asset.id);
    expect((await library.store(await pictureUri())).status).toBe(201);
    expect((await library.store(await pictureUri())).status).toBe(429);
  });

  it('are enforced by the database, whatever the code does', async () => {
    world = await World.start();
    const insert = world.db.rows(
      `insert into reference (id, owner, kind, mime, bytes, sha256, blob_key)
       select 'ref_' || n, 'somebody', 'image', 'image/png', 1, int4send(n), 'references/' || n
       from generate_series(1, 101) n`,
    );

    await expect(insert).rejects.toMatchObject({ constraint: 'reference_library_room' });
  });

  it('count the calls of each owner, whatever their key', async () => {
    world = await World.start({ RATE_LIMIT_REFERENCES: '3' });
    const library = new Library(world, await keyCaller(world));
    const other = new Library(world, await walletCaller(world));

    const answers = [
      await library.list(),
      await library.search('car'),
      await library.store(await pictureUri()),
      await library.list(),
    ];

    expect(answers.map(({ status }) => status)).toEqual([200, 200, 201, 429]);
    expect(answers[3]?.body.error.code).toBe('RATE_LIMITED');
    expect(answers[3]?.headers).toMatchObject({ 'ratelimit-limit': '3', 'retry-after': expect.any(String) });
    expect((await other.list()).status).toBe(200);
  });

  it('count callers without a credential by their address', async () => {
    world = await World.start({ RATE_LIMIT_CHALLENGE: '2' });

    const tries = [await world.get('/v1/agent/references'), await world.get('/v1/agent/references')];
    const last = await world.get('/v1/agent/references');

    expect([...tries, last].map(({ status }) => status)).toEqual([401, 401, 429]);
  });
});
