import { mkdtemp, readdir, rm, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';

import { createDataSource } from '#platform/database/data-source';
import { Database } from '#platform/database/database';
import type { BlobStore } from '#platform/storage/blob-store';
import { BlobRangeOutside, BlobStoreUnavailable } from '#platform/storage/blob-store.errors';
import { DiskBlobStore } from '#platform/storage/disk-blob-store';
import { S3BlobStore } from '#platform/storage/s3-blob-store';
import { DiskStoreRepository } from '#platform/storage/disk-store.repository';
import { SharedDisk } from '#platform/storage/shared-disk';
import { readSettings } from '../../src/settings';
import { cloneDatabase } from '../support/postgres';
import { FakeS3 } from '../support/fake-s3';
import { BackgroundWork } from '#platform/background/background-work';

const PNG = { mime: 'image/png' };
const MEGABYTE = 1024 * 1024;

interface World {
  readonly store: BlobStore;
  readonly folder: string;
  readonly s3?: FakeS3;
  readonly close: () => Promise<void>;
}

const newFolder = (): Promise<string> => mkdtemp(join(tmpdir(), 'lamppost-blobs-'));

const diskWorld = async (): Promise<World> => {
  const folder = await newFolder();
  const store = new DiskBlobStore(join(folder, 'blobs'));
  return { store, folder, close: () => rm(folder, { recursive: true }) };
};

/** Short timeouts, so that a test need not wait for a store that hangs. */
const HASTY = { connectMs: 500, idleMs: 300, requestMs: 1_500, healthMs: 200, giveUpMs: 300, retryMs: 20 };

const s3World = async (timing?: typeof HASTY) => {
  const folder = await newFolder();
  const s3 = await FakeS3.start();
  const store = new S3BlobStore(s3, join(folder, 'uploads'), timing);
  const close = async (): Promise<void> => {
    store.onApplicationShutdown();
    await s3.stop();
    await rm(folder, { recursive: true });
  };
  return { store, folder, s3, close } satisfies World;
};

const filesUnder = async (folder: string): Promise<string[]> => {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  return entries.filter((entry) => entry.isFile()).map((entry) => entry.name);
};

/** Yields the pieces, then fails like a broken connection. */
const breaking = (error: Error): Readable =>
  Readable.from(
    (async function* () {
      yield Buffer.alloc(1_000, 1);
      throw error;
    })(),
  );

describe.each([
  ['disk', diskWorld],
  ['s3', () => s3World()],
])('a blob store on %s', (_, start: () => Promise<World>) => {
  let world: World;
  let store: BlobStore;

  beforeEach(async () => {
    world = await start();
    store = world.store;
  });

  afterEach(() => world.close());

  const read = async (key: string, range?: { start: number; end?: number }): Promise<string | undefined> => {
    const blob = await store.get(key, range);
    return blob && (await buffer(blob.stream)).toString();
  };

  it('returns what was put, bytes or stream, with its size and type', async () => {
    expect(await store.put('media/job_1', Buffer.from('a red fox'), PNG)).toEqual({
      bytes: 9,
      mime: 'image/png',
    });
    await store.put('media/job_2.mp4', Readable.from([Buffer.from('a blue '), Buffer.from('fox')]), {
      mime: 'video/mp4',
    });

    expect(await read('media/job_1')).toBe('a red fox');
    expect(await read('media/job_2.mp4')).toBe('a blue fox');
    expect(await store.head('media/job_2.mp4')).toEqual({ bytes: 10, mime: 'video/mp4' });
    const blob = await store.get('media/job_1');
    expect(blob).toMatchObject({ bytes: 9, mime: 'image/png', range: { start: 0, end: 8 } });
    blob!.stream.destroy();
  });

  it('streams what is large, and leaves no file of its own behind', async () => {
    const pieces = Array.from({ length: 8 }, (_unused, index) => Buffer.alloc(MEGABYTE, index));

    await store.put('media/large', Readable.from(pieces), PNG);

    const blob = await store.get('media/large');
    const body = await buffer(blob!.stream);
    expect(body.equals(Buffer.concat(pieces))).toBe(true);
    expect((await filesUnder(world.folder)).filter((name) => !/^large\.(blob|mime)$/.test(name))).toEqual([]);
  });

  it.each([
    ['the start', { start: 0, end: 0 }, 'a', { start: 0, end: 0 }],
    ['the middle', { start: 2, end: 4 }, 'red', { start: 2, end: 4 }],
    ['to the end', { start: 6 }, 'fox', { start: 6, end: 8 }],
    ['past the end', { start: 6, end: 5_000 }, 'fox', { start: 6, end: 8 }],
  ])('reads a range: %s', async (_name, range, expected, covered) => {
    await store.put('media/job_1', Buffer.from('a red fox'), PNG);

    const blob = await store.get('media/job_1', range);

    expect(blob).toMatchObject({ bytes: 9, range: covered });
    expect((await buffer(blob!.stream)).toString()).toBe(expected);
  });

  it('refuses a range behind the end', async () => {
    await store.put('media/job_1', Buffer.from('a red fox'), PNG);

    await expect(store.get('media/job_1', { start: 9 })).rejects.toThrow(BlobRangeOutside);
  });

  it('keeps empty blobs', async () => {
    await store.put('media/empty', Buffer.alloc(0), PNG);
    await store.put('media/empty-stream', Readable.from([]), PNG);

    expect(await read('media/empty')).toBe('');
    expect(await store.head('media/empty-stream')).toEqual({ bytes: 0, mime: 'image/png' });
  });

  it('replaces a blob as a whole', async () => {
    await store.put('media/job_1', Buffer.from('a long first text'), PNG);
    await store.put('media/job_1', Buffer.from('short'), { mime: 'image/webp' });

    expect(await read('media/job_1')).toBe('short');
    expect(await store.head('media/job_1')).toEqual({ bytes: 5, mime: 'image/webp' });
  });

  it('lets one of many writers put a new blob, whichever it is, and replaces it for none', async () => {
    const written = await Promise.all(
      ['a', 'b', 'c', 'd'].map((text) => store.putNew('media/new', Readable.from([Buffer.from(text)]), PNG)),
    );
    const first = await read('media/new');

    expect(written.filter((one) => one !== undefined)).toEqual([{ bytes: 1, ...PNG }]);
    expect(['a', 'b', 'c', 'd']).toContain(first);
    expect(written.findIndex((one) => one !== undefined)).toBe(['a', 'b', 'c', 'd'].indexOf(first!));
    expect(await store.putNew('media/new', Buffer.from('later'), { mime: 'image/webp' })).toBeUndefined();
    expect([await read('media/new'), await store.head('media/new')]).toEqual([first, { bytes: 1, ...PNG }]);
  });

  it('knows nothing of what was never put', async () => {
    expect(await store.get('media/nobody')).toBeUndefined();
    expect(await store.get('media/nobody', { start: 0, end: 1 })).toBeUndefined();
    expect(await store.head('media/nobody')).toBeUndefined();
  });

  it('deletes, twice if asked', async () => {
    await store.put('media/job_1', Buffer.from('a red fox'), PNG);

    await store.delete('media/job_1');
    await store.delete('media/job_1');

    expect(await store.get('media/job_1')).toBeUndefined();
  });

  it('lets a key be the folder of another', async () => {
    await store.put('refs', Buffer.from('one'), PNG);
    await store.put('refs/ref_1', Buffer.from('two'), PNG);

    expect([await read('refs'), await read('refs/ref_1')]).toEqual(['one', 'two']);
  });

  it.each(['../outside', '/etc/passwd', 'media/../../outside', 'a\u0000b', ''])(
    'refuses the key %j',
    async (key) => {
      await expect(store.put(key, Buffer.from('x'), PNG)).rejects.toThrow('A blob key is made of');
      await expect(store.get(key)).rejects.toThrow('A blob key is made of');
      await expect(store.head(key)).rejects.toThrow('A blob key is made of');
      await expect(store.delete(key)).rejects.toThrow('A blob key is made of');
      expect(await filesUnder(world.folder)).toEqual([]);
    },
  );

  it('stores nothing of a stream that breaks, and says how it broke', async () => {
    const cut = new RangeError('the source was cut');

    await expect(store.put('media/job_1', breaking(cut), PNG)).rejects.toBe(cut);

    expect(await store.head('media/job_1')).toBeUndefined();
    expect(await filesUnder(world.folder)).toEqual([]);
  });

  it('leaves the old blob as it was when its replacement breaks', async () => {
    await store.put('media/job_1', Buffer.from('a red fox'), PNG);

    await expect(store.put('media/job_1', breaking(new Error('cut')), { mime: 'video/mp4' })).rejects.toThrow(
      'cut',
    );

    expect(await read('media/job_1')).toBe('a red fox');
    expect(await store.head('media/job_1')).toEqual({ bytes: 9, mime: 'image/png' });
  });

  it('takes many at a time', async () => {
    const keys = Array.from({ length: 20 }, (_unused, index) => `media/job_${index}`);

    await Promise.all(keys.map((key) => store.put(key, Readable.from([Buffer.from(key)]), PNG)));

    expect(await Promise.all(keys.map((key) => read(key)))).toEqual(keys);
  });

  it('is healthy', async () => {
    expect(await store.healthy()).toBe(true);
  });
});

describe('a blob store on a disk that is broken', () => {
  it('says that it is unavailable, and is not healthy', async () => {
    const folder = await newFolder();
    await writeFile(join(folder, 'blobs'), 'a file where the folder should be');
    const store = new DiskBlobStore(join(folder, 'blobs'));

    await expect(store.put('media/job_1', Buffer.from('x'), PNG)).rejects.toThrow(BlobStoreUnavailable);
    expect(await store.healthy()).toBe(false);
    await rm(folder, { recursive: true });
  });

  it('removes what a process that died left unfinished, and nothing younger', async () => {
    const { store, folder, close } = await diskWorld();
    await store.put('media/job_1', Buffer.from('x'), PNG);
    const unfinished = join(folder, 'blobs', '.unfinished');
    await writeFile(join(unfinished, 'old'), 'x');
    await utimes(join(unfinished, 'old'), new Date(0), new Date(0));
    await writeFile(join(unfinished, 'young'), 'x');

    await new DiskBlobStore(join(folder, 'blobs')).healthy();

    expect(await readdir(unfinished)).toEqual(['young']);
    await close();
  });
});

describe('a blob store on an S3 that fails', () => {
  let world: Awaited<ReturnType<typeof s3World>>;

  beforeEach(async () => {
    world = await s3World(HASTY);
  });

  afterEach(() => world.close());

  it('signs every request and addresses the bucket by path', async () => {
    await world.store.put('media/job_1', Readable.from([Buffer.from('fox')]), PNG);

    const [put] = world.s3.seen;
    expect(put).toMatchObject({ method: 'PUT', path: '/media/media/job_1' });
    expect(put!.headers).toMatchObject({ 'content-length': '3', 'content-type': 'image/png' });
    expect(put!.headers['transfer-encoding']).toBeUndefined();
  });

  it('is not let in with another key', async () => {
    const store = new S3BlobStore(
      { ...world.s3, endpoint: world.s3.endpoint, accessKeyId: 'OTHER' },
      world.folder,
    );

    await expect(store.head('media/job_1')).rejects.toThrow(BlobStoreUnavailable);
    expect(await store.healthy()).toBe(false);
    store.onApplicationShutdown();
  });

  it('tries a failed upload again with the same bytes, stream or not', async () => {
    world.s3.failNext(503, 500);
    await world.store.put('media/job_1', Readable.from([Buffer.from('a red fox')]), PNG);
    world.s3.failNext(500);
    await world.store.put('media/job_2', Buffer.from('a blue fox'), PNG);

    expect(world.s3.objects.get('media/job_1')?.body.toString()).toBe('a red fox');
    expect(world.s3.objects.get('media/job_2')?.body.toString()).toBe('a blue fox');
  });

  it('stores a new blob in a store that knows no conditions', async () => {
    const { store, s3 } = world;
    s3.knowsConditions = false;

    const put = await store.putNew('media/new', Readable.from([Buffer.from('new')]), PNG);
    const later = await store.putNew('media/new', Buffer.from('later'), PNG);

    expect([put, later]).toEqual([{ bytes: 3, ...PNG }, undefined]);
    expect(s3.objects.get('media/new')?.body.toString()).toBe('new');
  });

  it('gives up after three tries', async () => {
    world.s3.failNext(500, 500, 500, 500, 500);

    await expect(world.store.put('media/job_1', Readable.from([Buffer.from('x')]), PNG)).rejects.toThrow(
      BlobStoreUnavailable,
    );
    expect(world.s3.seen).toHaveLength(3);
  });

  it('does not take a missing bucket for a missing blob', async () => {
    world.s3.failNext(404);

    await expect(world.store.get('media/job_1')).rejects.toThrow(BlobStoreUnavailable);
  });

  it('does not wait for ever', async () => {
    world.s3.failNext('hang', 'hang', 'hang');

    await expect(world.store.get('media/job_1')).rejects.toThrow(BlobStoreUnavailable);
    world.s3.failNext('hang', 'hang', 'hang');
    expect(await world.store.healthy()).toBe(false);
  });

  it('breaks the stream of a download that is cut', async () => {
    await world.store.put('media/job_1', Buffer.alloc(100_000), PNG);
    world.s3.failNext('cut');

    const blob = await world.store.get('media/job_1');

    await expect(buffer(blob!.stream)).rejects.toThrow('aborted');
  });
});

describe('a disk that not all processes have', () => {
  it('is noticed, and so is that they have one again', async () => {
    const url = await cloneDatabase();
    const source = await createDataSource(url).initialize();
    const settings = readSettings({ DATABASE_URL: url, SIGNING_SECRET: 'a secret of thirty-two characters' });
    const db = new Database(source, settings);
    const [ours, others] = [await newFolder(), await newFolder()];
    const processOn = (dataDir: string): SharedDisk =>
      new SharedDisk(new DiskStoreRepository(db), new BackgroundWork(), { ...settings, dataDir });

    expect(await Promise.all([processOn(ours).check(), processOn(ours).check()])).toEqual([
      undefined,
      undefined,
    ]);
    expect(await processOn(others).check()).toMatch(/another disk/);
    expect(await processOn(ours).check()).toMatch(/BLOB_STORE=s3/);

    const first = processOn(ours);
    await first.check();
    await db.rows(`update disk_store set seen_at = now() - interval '6 minutes'`);
    expect(await first.check()).toBeUndefined();

    await db.onApplicationShutdown();
    await source.destroy();
    await Promise.all([ours, others].map((folder) => rm(folder, { recursive: true })));
  });
});
