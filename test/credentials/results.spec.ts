import { createHash, randomBytes, randomInt } from 'node:crypto';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import sharp from 'sharp';

import { ContentCredentials, type ReadManifest } from '#platform/credentials/content-credentials';
import { newId } from '#kernel/ids';
import type { Job } from '#work/jobs/job.entity';
import { MediaStore } from '#work/jobs/media-store';
import { SigningKeys } from '#platform/config/signing-keys';
import { probeFilm } from '#platform/media/film-probe';
import { BlobStore } from '#platform/storage/blob-store';
import { CredentialsMetrics } from '#platform/credentials/credentials.metrics';
import { drawnPicture } from '../support/drawn-picture';
import { KeyCaller } from '../support/caller';
import { catalogOf, filmEntry, pictureEntry } from '../support/catalogs';
import { expectEventually } from '../support/eventually';
import { FakeReplicate } from '../support/fake-replicate';
import { soldFilm } from '../support/media-files';
import { makeAuthority, operatorCertificate } from '../support/operator-certificate';
import { secondOpinion } from '../support/second-reader';
import { World } from '../support/world';

const CATALOG = catalogOf(
  [pictureEntry('picture', ['replicate:someone/picture']), filmEntry('film', ['replicate:someone/film'])],
  [],
);

const sha256 = (bytes: Buffer): string => createHash('sha256').update(bytes).digest('hex');

const picture = (format: 'png' | 'jpeg' | 'webp'): Promise<Buffer> =>
  sharp(randomBytes(64 * 64 * 3), { raw: { width: 64, height: 64, channels: 3 } })
    .toFormat(format)
    .toBuffer();

const SECRET_PROMPT = 'a red fox that nobody may know of';

/** A picture that keeps its look when it becomes smaller, unlike noise. */
const shapes = (): Promise<Buffer> =>
  drawnPicture(
    [34, 68, 102],
    [
      { circle: [60 + randomInt(40), 90, 60], color: [255, 204, 51] },
      { bar: [120, 130 + randomInt(40), 110, 60], color: [204, 51, 102] },
    ],
  )
    .jpeg()
    .toBuffer();

const changedAt = (bytes: Buffer, at: number): Buffer => {
  const changed = Buffer.from(bytes);
  changed[at] = changed[at]! ^ 1;
  return changed;
};

/** Replaces the first `from` after `mark` by `to`, which has the same length. */
const replaced = (bytes: Buffer, mark: string, from: string, to: string): Buffer => {
  const at = bytes.indexOf(from, Math.max(0, bytes.indexOf(mark, 0, 'latin1')), 'latin1');
  expect(at).toBeGreaterThan(0);
  const changed = Buffer.from(bytes);
  changed.write(to, at, 'latin1');
  return changed;
};

/** The second implementation excludes only the first of two boxes with one name, so this film has only one of them. */
const filmOfFewBoxes = async (): Promise<Buffer> => {
  const film = await soldFilm();
  const last = film.lastIndexOf('free', undefined, 'latin1') - 4;
  expect(last + film.readUInt32BE(last)).toBe(film.length);
  return film.subarray(0, last);
};

const credentialsOf = (world: World, { certificate, key }: { certificate: string; key: string }) =>
  new ContentCredentials(world.app.get(SigningKeys), world.app.get(CredentialsMetrics, { strict: false }), {
    ...world.settings,
    contentCredentials: { certificate, key },
  });

describe('the content credentials of results', () => {
  let replicate: FakeReplicate;
  let world: World;
  let caller: KeyCaller;
  let folder: string;
  let credentials: ContentCredentials;

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'credentials-'));
    replicate = await FakeReplicate.start();
    replicate.words = ['succeeded'];
    world = await World.start({
      ...replicate.env,
      ...CATALOG,
      ALLOW_SANDBOX_MIX: 'true',
      FETCH_ALLOW_HOSTS: replicate.host,
    });
    caller = await KeyCaller.register(world, 50_000_000n);
    credentials = world.app.get(ContentCredentials, { strict: false });
  });

  afterEach(() => world.expectBooksToBalance());

  afterAll(async () => {
    await world.stop();
    await replicate.stop();
    await rm(folder, { recursive: true });
  });

  const fileOf = async (bytes: Buffer): Promise<string> => {
    const path = join(folder, randomBytes(8).toString('hex'));
    await writeFile(path, bytes);
    return path;
  };
  const read = (bytes: Buffer, mime: string): Promise<ReadManifest | undefined> =>
    credentials.read(bytes, mime, 'test');
  const second = async (bytes: Buffer) => secondOpinion(await fileOf(bytes));

  /** The file that a buyer downloads. */
  const bought = async (modelId: string, made: Buffer) => {
    replicate.files = { ...replicate.files, png: made, mp4: made };
    const { body } = await world.post(
      '/v1/agent/generate',
      { prompt: SECRET_PROMPT, modelId, ...(modelId === 'film' && { duration: 4 }) },
      { 'x-api-key': caller.key },
    );
    let { url } = body;
    if (url === undefined)
      await expectEventually(async () => (url = (await world.get(body.poll)).body.url) !== undefined);
    return { url: new URL(url).pathname, ...(await served(new URL(url).pathname)) };
  };

  const served = async (url: string, headers: Readonly<Record<string, string>> = {}) => {
    const answer = await world.app.inject({ url, headers });
    const { 'content-type': mime, 'content-length': length } = answer.headers;
    return {
      status: answer.statusCode,
      bytes: answer.rawPayload,
      mime: String(mime),
      length: Number(length),
    };
  };

  it.each<[string, string, () => Promise<Buffer>]>([
    ['image/png', 'picture', () => picture('png')],
    ['image/jpeg', 'picture', () => picture('jpeg')],
    ['image/webp', 'picture', () => picture('webp')],
    ['video/mp4', 'film', () => soldFilm()],
  ])('%s: the manifest is valid and ours, and two implementations agree', async (type, modelId, make) => {
    const made = await make();

    const { bytes, mime } = await bought(modelId, made);

    expect(mime).toBe(type);
    expect(await read(made, mime)).toEqual({ manifest: 'absent' });
    expect(await read(bytes, mime)).toEqual({ manifest: 'valid', issuer: 'development', isOurs: true });
    if (mime === 'image/webp') return; // The second implementation can't read WebP.
    const opinion = await second(bytes);
    expect(opinion).toMatchObject({ actions: ['c2pa.created'], ingredients: 0 });
    expect(opinion.codes).toContain('claimSignature.validated');
    // Our own box is the second one with its name, and the second implementation hashes it differently.
    if (mime !== 'video/mp4') expect(opinion.isValid).toBe(true);
  });

  it('two implementations agree on a film without other boxes of those names', async () => {
    const path = await fileOf(await filmOfFewBoxes());
    const about = { model: 'a-model', madeAt: new Date(), provenance: 'https://operator.test' };

    const signed = await credentials.sign({ path, bytes: 1, mime: 'video/mp4', hint: false }, about, 'test');

    expect(await secondOpinion(signed!)).toMatchObject({ isValid: true, actions: ['c2pa.created'] });
    expect(await credentials.read(await readFile(signed!), 'video/mp4', 'test')).toMatchObject({
      manifest: 'valid',
    });
  });

  it('a film that was signed plays as before', async () => {
    const made = await soldFilm();

    const { bytes } = await bought('film', made);

    const path = await fileOf(bytes);
    expect(await probeFilm(path, 'test', 30_000)).toEqual(
      await probeFilm(await fileOf(made), 'test', 30_000),
    );
  });

  it('the manifest has the model, the time and the address for questions, and no prompt, payer or vendor', async () => {
    const { bytes } = await bought('picture', await picture('jpeg'));

    const text = bytes.toString('latin1');
    const [, id] = /provenance\/(prv_[\w-]+)/.exec(text) ?? [];
    expect((await world.get(`/v1/agent/provenance/${id}`)).body).toMatchObject({
      model: 'picture',
      sha256: sha256(bytes),
    });
    for (const word of ['c2pa.created', 'trainedAlgorithmicMedia', 'Lamppost', 'picture'])
      expect(text).toContain(word);
    for (const word of [SECRET_PROMPT, 'replicate', 'someone', caller.accountId, caller.keyId])
      expect(text.toLowerCase()).not.toContain(word.toLowerCase());
  });

  it('everybody gets the same bytes, whole, in ranges and as base64', async () => {
    const { url, bytes, length } = await bought('picture', await picture('png'));

    expect(length).toBe(bytes.length);
    expect(sha256((await served(url)).bytes)).toBe(sha256(bytes));
    const half = Math.floor(bytes.length / 2);
    const first = await served(url, { range: `bytes=0-${half - 1}` });
    const rest = await served(url, { range: `bytes=${half}-` });
    expect([first.status, rest.status, first.length]).toEqual([206, 206, half]);
    expect(Buffer.concat([first.bytes, rest.bytes]).equals(bytes)).toBe(true);

    replicate.files = { ...replicate.files, png: await picture('png') };
    const { body } = await world.post(
      '/v1/agent/images/generations',
      { prompt: 'a red fox', model: 'picture', response_format: 'b64_json' },
      { 'x-api-key': caller.key },
    );
    const coded = Buffer.from(body.data[0].b64_json, 'base64');
    expect(await read(coded, 'image/png')).toMatchObject({ manifest: 'valid', isOurs: true });
    const found = await world.post('/v1/agent/provenance/verify', { sha256: sha256(coded) });
    expect(found.body).toMatchObject({ match: 'exact', model: 'picture' });
  });

  it.each<[string, (bytes: Buffer) => Buffer | Promise<Buffer>, string]>([
    ['one pixel changed', (bytes) => changedAt(bytes, bytes.length - 100), 'invalid'],
    [
      'another model in the manifest',
      (bytes) => replaced(bytes, '"name":"', 'picture', 'pikture'),
      'invalid',
    ],
    ['another address in the manifest', (bytes) => replaced(bytes, '', 'prv_', 'prw_'), 'invalid'],
    ['bytes behind the end', (bytes) => Buffer.concat([bytes, Buffer.from('more')]), 'invalid'],
    ['its metadata stripped', (bytes) => sharp(bytes).jpeg().toBuffer(), 'absent'],
    ['another size', (bytes) => sharp(bytes).resize(32).jpeg().toBuffer(), 'absent'],
  ])('a file with %s', async (_, change, manifest) => {
    const { bytes } = await bought('picture', await picture('jpeg'));

    const changed = await change(bytes);

    expect((await read(changed, 'image/jpeg'))?.manifest).toBe(manifest);
    expect((await second(changed)).isValid).toBe(false);
  });

  describe('are checked for everybody who sends a file', () => {
    const checked = async (bytes: Buffer, mime: string) => {
      const media = `data:${mime};base64,${bytes.toString('base64')}`;
      const answer = await world.post('/v1/agent/provenance/verify', { media }, { 'x-api-key': caller.key });
      expect(answer.status).toBe(200);
      return answer.body;
    };

    it.each<[string, string, () => Promise<Buffer>]>([
      ['image/png', 'picture', () => picture('png')],
      ['image/webp', 'picture', () => picture('webp')],
      ['video/mp4', 'film', () => soldFilm()],
    ])('%s', async (mime, modelId, make) => {
      const { bytes } = await bought(modelId, await make());

      expect(await checked(bytes, mime)).toMatchObject({
        match: 'exact',
        model: modelId,
        manifest: 'valid',
        manifestIssuer: 'development',
        manifestOurs: true,
      });
    });

    it('a changed, a stripped and a foreign file', async () => {
      const { bytes } = await bought('picture', await shapes());

      // This changes a number of the quantisation table, because a changed bit among the pixels may end the picture
      // early.
      const table = bytes.indexOf(Buffer.from([0xff, 0xdb]));
      const changed = await checked(changedAt(bytes, table + 10), 'image/jpeg');
      const stripped = await checked(await sharp(bytes).jpeg().toBuffer(), 'image/jpeg');
      const smaller = await checked(await sharp(bytes).resize(100).webp().toBuffer(), 'image/webp');
      const foreign = await checked(await picture('png'), 'image/png');

      expect(changed).toMatchObject({ match: 'similar', manifest: 'invalid', manifestOurs: false });
      expect(stripped).toMatchObject({ match: 'similar', model: 'picture', manifest: 'absent' });
      expect(smaller).toMatchObject({ match: 'similar', model: 'picture', manifest: 'absent' });
      expect(foreign).toEqual({
        found: false,
        match: 'none',
        perceptualHash: expect.any(String) as string,
        manifest: 'absent',
      });
    });

    it('a maker’s file, and one whose manifest is no manifest', async () => {
      const { certificate, key } = await operatorCertificate('Some Vendor');
      const vendors = credentialsOf(world, { certificate, key });
      const source = { path: await fileOf(await picture('png')), bytes: 1, mime: 'image/png', hint: false };
      const about = { model: 'vendor-model', madeAt: new Date(), provenance: 'https://vendor.test' };
      const made = await readFile((await vendors.sign(source, about, 'test'))!);
      const junk = Buffer.from(made);
      junk.fill(
        0x41,
        junk.indexOf('c2pa.claim', 0, 'latin1') - 20,
        junk.indexOf('c2pa.claim', 0, 'latin1') + 8,
      );

      expect(await checked(made, 'image/png')).toMatchObject({
        found: false,
        manifest: 'valid',
        manifestIssuer: 'Some Vendor',
        manifestOurs: false,
      });
      // Decoders skip the chunk with its wrong checksum.
      expect(await checked(junk, 'image/png')).toMatchObject({ found: false, manifest: 'invalid' });
    });
  });

  it('the manifest of the model’s maker remains, as an ingredient of ours', async () => {
    const vendors = credentialsOf(world, await operatorCertificate('Some Vendor'));
    const path = await fileOf(await picture('png'));
    const about = { model: 'vendor-model', madeAt: new Date(), provenance: 'https://vendor.test' };
    const source = { path, bytes: 1, mime: 'image/png', hint: false };
    const made = await readFile((await vendors.sign(source, about, 'test'))!);

    const { bytes } = await bought('picture', made);

    expect(await read(made, 'image/png')).toEqual({
      manifest: 'valid',
      issuer: 'Some Vendor',
      isOurs: false,
    });
    expect(await read(bytes, 'image/png')).toEqual({
      manifest: 'valid',
      issuer: 'development',
      isOurs: true,
    });
    expect(await second(bytes)).toMatchObject({
      isValid: true,
      actions: ['c2pa.opened', 'c2pa.published'],
      ingredients: 1,
    });
  });

  it.each(['P-256', 'P-384', 'Ed25519', 'RSA-PSS'])(
    'an operator’s certificate with a key of %s signs, and its serial number decides whose a file is',
    async (kind) => {
      const authority = await makeAuthority();
      const own = credentialsOf(world, await operatorCertificate('An Operator', kind, authority));
      const neighbours = credentialsOf(world, await operatorCertificate('A Neighbour', kind, authority));
      const path = await fileOf(await picture('png'));
      const about = { model: 'a-model', madeAt: new Date(), provenance: 'https://operator.test' };

      const source = { path, bytes: 1, mime: 'image/png', hint: false };
      const signed = (await own.sign(source, about, 'test'))!;

      const manifest = { manifest: 'valid', issuer: 'An Operator' };
      expect(await own.read(await readFile(signed), 'image/png', 'test')).toEqual({
        ...manifest,
        isOurs: true,
      });
      expect(await neighbours.read(await readFile(signed), 'image/png', 'test')).toEqual({
        ...manifest,
        isOurs: false,
      });
      expect(await secondOpinion(signed)).toMatchObject({ isValid: true });
    },
  );

  it('a file that cannot be signed is delivered all the same, and the metrics show it', async () => {
    const counted = async (): Promise<number> =>
      Number(
        /^lamppost_content_credentials_total\{outcome="unsigned"\} (\d+)/m.exec(
          (await world.app.inject({ url: '/metrics' })).payload,
        )?.[1] ?? 0,
      );
    const before = await counted();
    // Decoders do not need the last chunk, but the signing library does.
    const made = (await picture('png')).subarray(0, -12);

    const { bytes, status } = await bought('picture', made);

    expect(status).toBe(200);
    expect(bytes.includes(made.subarray(-1_000))).toBe(true);
    expect(await counted()).toBe(before + 1);
  });

  it('a file that a dead process had stored and not yet recorded is the one that everybody gets', async () => {
    const store = world.app.get(MediaStore, { strict: false });
    const job = {
      id: newId('job'),
      owner: 'test',
      kind: 'image',
      modelId: 'picture',
      resultCount: 1,
      createdAt: new Date(),
    } as Job;
    const result = { data: await picture('png') };
    const keep = async () =>
      (await store.keep(job, [result], () => Promise.resolve(), AbortSignal.timeout(60_000)))[0]!;

    const [first, second] = [await keep(), await keep()];
    const both = await Promise.all([keep(), keep()]);

    expect(second.sha256.equals(first.sha256)).toBe(true);
    expect(both.map(({ sha256: hash }) => hash.equals(first.sha256))).toEqual([true, true]);
    const blob = await world.app.get(BlobStore, { strict: false }).get(first.blobKey);
    const hash = createHash('sha256');
    for await (const chunk of blob!.stream) hash.update(chunk as Buffer);
    expect(hash.digest().equals(first.sha256)).toBe(true);
  });
});
