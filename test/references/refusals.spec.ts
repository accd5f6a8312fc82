import { createHash } from 'node:crypto';
import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import sharp from 'sharp';

import { expectEventually } from '../support/eventually';
import { World } from '../support/world';
import { Library, clip, dataUri, keyCaller, picture, pictureUri } from './library-callers';

const MEGABYTE = 1024 * 1024;

const png = (bytes: Buffer): string => dataUri('image/png', bytes);
const mp4 = (bytes: Buffer): string => dataUri('video/mp4', bytes);

/** The stored files, without those of the service itself: the disk's mark and the last checkpoint. */
const filesIn = (folder: string): readonly string[] =>
  readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((one) => one.isFile() && one.name !== '.mark' && !one.parentPath.includes('transparency'))
    .map(({ name }) => name);

/** Padding after the end of an image is part of the file, and does not change the image. */
const padded = (bytes: Buffer, size: number): Buffer =>
  Buffer.concat([bytes, Buffer.alloc(size - bytes.length)]);

describe('what is refused as a reference', () => {
  const dataDir = mkdtempSync(join(tmpdir(), 'lamppost-references-'));
  let world: World;
  let library: Library;
  let blocked: Buffer;
  let blockedClip: Buffer;

  beforeAll(async () => {
    blocked = await picture('purple');
    blockedClip = await clip(1);
    const policy = join(dataDir, 'policy.json');
    const blockedHashes = [blocked, blockedClip].map((bytes) =>
      createHash('sha256').update(bytes).digest('hex'),
    );
    writeFileSync(policy, JSON.stringify({ patterns: { words: ['forbidden'] }, blockedHashes }));
    world = await World.start({ DATA_DIR: dataDir, POLICY_FILE: policy });
    library = new Library(world, await keyCaller(world));
  });

  afterEach(async () => {
    // Nothing is stored: no row, no blob and no temporary file.
    expect((await library.list()).body.refs).toEqual([]);
    expect(await world.db.rows('select from reference_trash')).toEqual([]);
    await expectEventually(() => filesIn(dataDir).join() === 'policy.json');
  });

  afterAll(async () => {
    await world.stop();
    rmSync(dataDir, { recursive: true, force: true });
  });

  const large = async (): Promise<string> => png(padded(await picture('red'), 8 * MEGABYTE + 1));
  const largeClip = async (): Promise<string> => mp4(padded(await clip(1), 40 * MEGABYTE + 1));
  const bomb = async (): Promise<string> =>
    png(
      await sharp({ create: { width: 9_000, height: 9_000, channels: 3, background: 'red' } })
        .png({ compressionLevel: 9 })
        .toBuffer(),
    );
  const half = async (): Promise<string> => {
    const whole = await sharp(Buffer.alloc(300 * 300 * 3, 7), {
      raw: { width: 300, height: 300, channels: 3 },
    })
      .png({ compressionLevel: 0 })
      .toBuffer();
    return png(whole.subarray(0, whole.length / 2));
  };
  const cut = async (): Promise<string> => mp4((await clip(1)).subarray(0, 40));

  it.each<[string, () => unknown, number, string]>([
    ['nothing', () => undefined, 400, 'INVALID_REQUEST'],
    ['an empty text', () => '', 400, 'INVALID_REQUEST'],
    ['a number', () => 7, 400, 'INVALID_REQUEST'],
    ['a word', () => 'car', 400, 'INVALID_REQUEST'],
    ['broken base64', () => 'data:image/png;base64,###', 400, 'INVALID_REQUEST'],
    ['large broken base64', () => `data:image/png;base64,${'a'.repeat(99_999)}#`, 400, 'INVALID_REQUEST'],
    ['a data URI that is not base64', () => 'data:image/png,abc', 400, 'INVALID_REQUEST'],
    ['a data URI with a charset', () => 'data:image/png;charset=utf-8;base64,AAAA', 400, 'INVALID_REQUEST'],
    ['an image above 8 MB', large, 400, 'PAYLOAD_TOO_LARGE'],
    ['a video above 40 MB', largeClip, 400, 'PAYLOAD_TOO_LARGE'],
    ['far more than any video', () => mp4(Buffer.alloc(60 * MEGABYTE)), 400, 'PAYLOAD_TOO_LARGE'],
    ['more than 64 megapixels', bomb, 400, 'INVALID_REQUEST'],
    ['text', () => dataUri('text/plain', Buffer.from('hello')), 415, 'UNSUPPORTED_MEDIA'],
    ['text that is called an image', () => png(Buffer.from('hello')), 415, 'UNSUPPORTED_MEDIA'],
    [
      'a drawing with a script',
      () => dataUri('image/svg+xml', Buffer.from('<svg><script/></svg>')),
      415,
      'UNSUPPORTED_MEDIA',
    ],
    [
      'a page that begins like a GIF',
      () => dataUri('image/gif', Buffer.from('GIF89a/*<script>*/=1;')),
      415,
      'UNSUPPORTED_MEDIA',
    ],
    ['half an image', half, 415, 'UNSUPPORTED_MEDIA'],
    ['the beginning of a video', cut, 415, 'UNSUPPORTED_MEDIA'],
    ['a known image', () => png(blocked), 422, 'MEDIA_REJECTED'],
    ['a known video', () => mp4(blockedClip), 422, 'MEDIA_REJECTED'],
  ])('%s', async (_, media, status, code) => {
    const answer = await library.store(await media());

    expect([answer.status, answer.body.error.code, answer.body.error.param]).toEqual([status, code, 'media']);
  });

  it.each([
    ['longer than 200 characters', 'x'.repeat(201), 400],
    ['with control characters', 'a\r\nSet-Cookie: b', 400],
    ['no text', 7, 400],
    ['that the policy forbids', 'forbidden things', 422],
  ])('a label %s', async (_, label, status) => {
    const answer = await library.store(await pictureUri(), label);

    expect([answer.status, answer.body.error.param]).toEqual([status, 'label']);
  });

  it('a library without an owner, before its body is looked at', async () => {
    const body = { media: 7 };
    const url = '/v1/agent/references';
    const bad = { 'x-api-key': `lp_${'a'.repeat(64)}` };

    expect((await world.get(url)).body.error.code).toBe('MISSING_CREDENTIALS');
    expect((await world.post(url, body)).status).toBe(401);
    expect((await world.post(url, body, bad)).body.error.code).toBe('KEY_NOT_FOUND');
    expect((await world.get(`${url}/search?q=car`, { 'sign-in-with-x': 'e30=' })).status).toBe(401);
    expect((await world.send({ method: 'DELETE', url: `${url}/x`, headers: bad })).status).toBe(401);
    expect((await world.get(url, { authorization: 'Bearer other' })).status).toBe(401);
  });

  it('a search without a query, with a long one, or with a limit outside its range', async () => {
    const headers = await library.caller.headers();
    const search = (query: string) => world.get(`/v1/agent/references/search${query}`, headers);

    const answers = [await search(''), await search(`?q=${'x'.repeat(2_001)}`), await search('?q=a&q=b')];
    const limits = [await search('?q=a&limit=0'), await search('?q=a&limit=101')];

    const reported = [...answers, ...limits].map(({ status, body }) => `${status} ${body.error.param}`);
    expect(reported).toEqual(['400 q', '400 q', '400 q', '400 limit', '400 limit']);
  });
});
