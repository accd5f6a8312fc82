import { createHash, randomBytes } from 'node:crypto';
import { mkdtempSync, readFileSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';

import * as fc from 'fast-check';

import { Spool } from '../storage/spool';
import type { Upload } from './data-file';
import { BodyTooSlow } from '../http/body/body.errors';
import { UploadsBusy } from './media.errors';
import { UploadExtractor } from './upload-extractor';
import { UploadSlots } from './upload-slots';

const MEGABYTE = 1024 * 1024;
const AT_EASE = { isTooSlow: () => false, waiting: <T>(work: () => Promise<T>) => work() };

describe('large data URIs in a body', () => {
  let folder: string;
  let spool: Spool;

  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'lamppost-uploads-'));
    spool = new Spool(folder, false);
  });
  afterEach(() => rmSync(folder, { recursive: true, force: true }));

  /** The extractor deletes dropped files in the background, so this waits for that. */
  const expectNoFiles = async (): Promise<void> => {
    for (const until = Date.now() + 30_000; readdirSync(folder).length > 0 && Date.now() < until;) {
      await new Promise((resolve) => setTimeout(resolve, 5));
    }
    expect(readdirSync(folder)).toEqual([]);
  };

  const extractor = (uploads: Upload[], slots = new UploadSlots()): UploadExtractor =>
    new UploadExtractor({
      spool,
      welcome: () => Promise.resolve({ keptBytesMax: 2 * MEGABYTE, slots, owner: 'somebody' }),
      speed: AT_EASE,
      dataBytesMax: 2 * MEGABYTE,
      bodyBytesMax: 8 * MEGABYTE,
      overflow: () => new Error('overflow'),
      onUpload: (upload) => uploads.push(upload),
    });

  const slices = (bytes: Buffer, sizes: readonly number[]): Buffer[] => {
    const parts: Buffer[] = [];
    for (let at = 0, n = 0; at < bytes.length; n += 1) {
      const size = sizes[n % sizes.length] ?? 1;
      parts.push(bytes.subarray(at, at + size));
      at += size;
    }
    return parts;
  };

  const read = async (text: string, sizes: readonly number[] = [65_536]) => {
    const uploads: Upload[] = [];
    const body = await buffer(Readable.from(slices(Buffer.from(text), sizes)).pipe(extractor(uploads)));
    return { body: body.toString(), uploads };
  };

  const uriOf = (data: Buffer): string => `data:video/mp4;base64,${data.toString('base64')}`;

  it('are on the disk afterwards, and their hash is in their place', async () => {
    const data = randomBytes(300_001);

    const { body, uploads } = await read(JSON.stringify({ prompt: 'x', video: uriOf(data), n: [1, 'y'] }));

    const sha256 = createHash('sha256').update(data).digest('hex');
    expect(JSON.parse(body)).toEqual({ prompt: 'x', video: `data:video/mp4;sha256=${sha256}`, n: [1, 'y'] });
    expect(uploads).toMatchObject([{ sha256, name: `data:video/mp4;sha256=${sha256}` }]);
    expect(readFileSync(uploads[0]!.file!.path).equals(data)).toBe(true);
  });

  it('are understood however they are cut and however their slashes are written', async () => {
    const data = Buffer.alloc(100_000, 0xff); // The data consists of `/` only.

    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.integer({ min: 1, max: 30_000 }), { minLength: 1, maxLength: 5 }),
        fc.boolean(),
        async (sizes, escaped) => {
          const text = JSON.stringify({ a: 'quote " and \\', video: uriOf(data), b: '\\"' });

          const { body, uploads } = await read(escaped ? text.replaceAll('/', '\\/') : text, sizes);

          expect(JSON.parse(body)).toMatchObject({ a: 'quote " and \\', b: '\\"' });
          expect(uploads[0]?.sha256).toBe(createHash('sha256').update(data).digest('hex'));
        },
      ),
      { numRuns: 30 },
    );
  });

  it('leave every other body as it was', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.jsonValue(),
        fc.array(fc.integer({ min: 1, max: 40 }), { minLength: 1, maxLength: 4 }),
        async (value, sizes) => {
          const text = JSON.stringify(value);
          expect(await read(text, sizes)).toEqual({ body: text, uploads: [] });
        },
      ),
      { numRuns: 100 },
    );
    const long = JSON.stringify({ text: `\\"${'x'.repeat(200_000)}\\`, small: uriOf(randomBytes(100)) });
    expect(await read(long)).toEqual({ body: long, uploads: [] });
  });

  it.each([
    ['another character', (base64: string) => `${base64}#AAA`],
    ['a line break', (base64: string) => `${base64}\\nAAA`],
    ['data behind its end', (base64: string) => `${base64}AA==AAAA`],
    ['one character too many', (base64: string) => `${base64}A`],
  ])('are broken with %s, and two broken ones differ', async (_, spoil) => {
    const [one, other] = [randomBytes(99_999), randomBytes(99_999)].map((data) =>
      spoil(data.toString('base64')),
    );

    const first = await read(`{"video":"data:video/mp4;base64,${one}"}`);
    const second = await read(`{"video":"data:video/mp4;base64,${other}"}`);

    expect(first.uploads).toMatchObject([{ fault: 'broken' }]);
    expect(first.uploads[0]?.file).toBeUndefined();
    expect(first.body).not.toBe(second.body);
    await expectNoFiles();
  });

  it('are read to their end but not kept when they are too large', async () => {
    const { uploads } = await read(JSON.stringify({ video: uriOf(Buffer.alloc(3 * MEGABYTE)), image: 'x' }));

    expect(uploads).toMatchObject([{ fault: 'too-large' }]);
    await expectNoFiles();
  });

  it('end with a body that is larger than its route takes', async () => {
    await expect(read(`"${'x'.repeat(9 * MEGABYTE)}"`)).rejects.toThrow('overflow');
  });

  it('leave no file when the caller hangs up', async () => {
    const stream = extractor([]);
    stream.on('error', () => undefined);
    stream.write(`{"video":"${uriOf(randomBytes(200_000))}`);
    await new Promise((resolve) => setTimeout(resolve, 20));

    stream.destroy(new Error('gone'));

    await expectNoFiles();
  });

  it('take a long run of escapes as quickly as anything else', async () => {
    const text = `{"a":"${'\\\\'.repeat(2 * MEGABYTE)}"}`;

    expect((await read(text)).body.length).toBe(text.length);
  });
});

describe('the slots for large bodies', () => {
  const large = `"data:image/png;base64,${'A'.repeat(2 * MEGABYTE)}`;
  const folder = mkdtempSync(join(tmpdir(), 'lamppost-places-'));
  const spool = new Spool(folder, false);
  afterAll(() => rmSync(folder, { recursive: true, force: true, maxRetries: 20 }));

  const start = (
    slots: UploadSlots,
    owner = 'somebody',
    speed = AT_EASE,
    keptBytesMax = 2 * MEGABYTE,
  ): UploadExtractor => {
    const stream = new UploadExtractor({
      spool,
      welcome: () => Promise.resolve({ keptBytesMax, slots, owner }),
      speed,
      dataBytesMax: 4 * MEGABYTE,
      bodyBytesMax: 8 * MEGABYTE,
      overflow: () => new Error('overflow'),
      onUpload: () => undefined,
    });
    stream.on('error', () => undefined).resume();
    return stream;
  };
  const ended = (stream: UploadExtractor): Promise<string> =>
    new Promise((resolve) => {
      stream.once('end', () => resolve('end')).once('error', (error) => resolve(error.name));
    });
  const read = (stream: UploadExtractor, text: string): Promise<void> =>
    new Promise((resolve) => {
      stream.write(text, () => resolve());
    });

  it('let two in; a third waits for one of them to finish', async () => {
    const slots = new UploadSlots(60_000);
    const [first, second, third] = [start(slots), start(slots), start(slots)];
    await Promise.all([read(first, large), read(second, large)]);
    let isIn = false;
    const waiting = read(third, large).then(() => (isIn = true));
    await new Promise((resolve) => setTimeout(resolve, 20));
    expect(isIn).toBe(false);

    first.end('"');

    await waiting;
    const ends = Promise.all([ended(second), ended(third)]);
    second.end('"');
    third.end('"');
    expect(await ends).toEqual(['end', 'end']);
  });

  it('are released by callers who hang up, and refused to those who have waited long enough', async () => {
    const slots = new UploadSlots(20);
    const [first, second, third] = [start(slots), start(slots), start(slots)];
    await Promise.all([read(first, large), read(second, large)]);

    const refused = ended(third);
    third.write(large);
    expect(await refused).toBe(UploadsBusy.name);

    first.destroy();
    const fourth = start(slots);
    await read(fourth, large);
    second.destroy();
    fourth.destroy();
  });

  it('are taken from those who hold one for too long', async () => {
    const slots = new UploadSlots(60_000, 20);
    const [first, second, third] = [start(slots), start(slots), start(slots)];
    const ends = Promise.all([ended(first), ended(second)]);
    await Promise.all([read(first, large), read(second, large)]);

    await read(third, large);

    expect(await ends).toEqual([BodyTooSlow.name, BodyTooSlow.name]);
    third.destroy();
  });

  it('are taken from slow senders while somebody waits, and only then', async () => {
    const slots = new UploadSlots(60_000);
    const slow = { ...AT_EASE, isTooSlow: () => true };
    const [first, second] = [start(slots, 'a', slow), start(slots, 'b')];
    await Promise.all([read(first, large), read(second, large)]);
    expect(first.destroyed).toBe(false);
    const end = ended(first);

    const third = start(slots, 'c');
    await read(third, large);

    expect(await end).toBe(BodyTooSlow.name);
    expect(second.destroyed).toBe(false);
    second.destroy();
    third.destroy();
  });

  it('go to those who have none before anybody gets another', async () => {
    const slots = new UploadSlots(60_000);
    const [first, second] = [start(slots, 'greedy'), start(slots, 'b')];
    await Promise.all([read(first, large), read(second, large)]);
    const entered: string[] = [];
    const more = start(slots, 'greedy');
    const other = start(slots, 'c');
    const waits = [
      read(more, large).then(() => entered.push('greedy')),
      read(other, large).then(() => entered.push('c')),
    ];
    await new Promise((resolve) => setTimeout(resolve, 20)); // Both calls are queued now.

    second.destroy();
    await waits[1];
    first.destroy();
    await waits[0];

    expect(entered).toEqual(['c', 'greedy']);
    more.destroy();
    other.destroy();
  });

  it('are not needed by those who may leave nothing, and nothing of theirs is kept', async () => {
    const slots = new UploadSlots(1);
    const all = Array.from({ length: 5 }, () => start(slots, 'stranger', AT_EASE, 0));
    const files = readdirSync(folder).length;

    await Promise.all(all.map((stream) => read(stream, large)));

    expect(readdirSync(folder)).toHaveLength(files);
    for (const stream of all) stream.destroy();
  });

  it('are not needed by small bodies', async () => {
    const slots = new UploadSlots(1);
    const [first, second] = [start(slots), start(slots)];
    await Promise.all([read(first, large), read(second, large)]);

    const small = start(slots);
    const end = ended(small);
    small.end('{"prompt":"x"}');

    expect(await end).toBe('end');
    first.destroy();
    second.destroy();
  });
});
