import { createHash, randomBytes } from 'node:crypto';
import { crc32 } from 'node:zlib';

import sharp from 'sharp';

import { WalletCaller } from '../support/caller';
import { catalogOf, filmEntry, pictureEntry } from '../support/catalogs';
import { expectEventually } from '../support/eventually';
import { FakeReplicate } from '../support/fake-replicate';
import { soldFilm } from '../support/media-files';
import { World } from '../support/world';

const FUNDS = 50_000_000n;

const CATALOG = catalogOf(
  [pictureEntry('picture', ['replicate:someone/picture']), filmEntry('film', ['replicate:someone/film'])],
  [],
);

const picture = (): Promise<Buffer> =>
  sharp(randomBytes(64 * 64 * 3), { raw: { width: 64, height: 64, channels: 3 } })
    .png()
    .toBuffer();

/** The header's own checksum is right, so only decoding finds it. */
const claiming = (png: Buffer, width: number, height: number): Buffer => {
  const liar = Buffer.from(png);
  liar.writeUInt32BE(width, 16);
  liar.writeUInt32BE(height, 20);
  liar.writeUInt32BE(crc32(liar.subarray(12, 29)), 29);
  return liar;
};

const flipped = (bytes: Buffer, at: number): Buffer => {
  const broken = Buffer.from(bytes);
  broken[at] = broken[at]! ^ 0xff;
  return broken;
};

const hollow = (film: Buffer): Buffer => {
  const pictures = film.indexOf('mdat', 0, 'latin1') + 4;
  return Buffer.from(film).fill(0, pictures + 100, film.indexOf('moov', pictures, 'latin1') - 4);
};

describe('a vendor whose results are none', () => {
  let replicate: FakeReplicate;
  let world: World;
  let films: Buffer;

  beforeAll(async () => {
    replicate = await FakeReplicate.start();
    replicate.words = ['succeeded'];
    films = await soldFilm();
    world = await World.start({
      ...replicate.env,
      ...CATALOG,
      ALLOW_SANDBOX_MIX: 'true',
      FETCH_ALLOW_HOSTS: replicate.host,
    });
  });

  afterEach(() => world.expectBooksToBalance());

  afterAll(async () => {
    await world.stop();
    await replicate.stop();
  });

  const balanceOf = async ({ wallet }: WalletCaller): Promise<number> =>
    (await world.get(`/v1/agent/x402/balance/${wallet}`)).body.balanceMicro;

  const buy = async (caller: WalletCaller, modelId: string) =>
    world.post(
      '/v1/agent/generate',
      { prompt: 'a red fox', modelId, ...(modelId === 'film' && { duration: 4 }) },
      { 'sign-in-with-x': await caller.signIn(world) },
    );

  it.each<[string, () => Promise<Buffer>]>([
    ['a picture cut in half', async () => (await picture()).subarray(0, 5_000)],
    ['a picture with a wrong checksum', async () => flipped(await picture(), 5_000)],
    ['a picture that claims 60000 by 60000', async () => claiming(await picture(), 60_000, 60_000)],
    ['a picture that claims one row more than it has', async () => claiming(await picture(), 64, 65)],
    [
      'junk behind the header of a picture',
      async () => Buffer.concat([(await picture()).subarray(0, 33), randomBytes(3_000_000)]),
    ],
    [
      'a photo that ends early',
      async () =>
        (
          await sharp(await picture())
            .jpeg()
            .toBuffer()
        ).subarray(0, 900),
    ],
    ['a film instead of a picture', () => Promise.resolve(films)],
  ])('is not paid for %s', async (_, made) => {
    replicate.files = { ...replicate.files, png: await made() };
    const caller = await new WalletCaller().fund(world, FUNDS);

    const answer = await buy(caller, 'picture');

    expect(answer.status).toBe(502);
    expect(answer.body.error.code).toBe('PROVIDER_ERROR');
    expect(await balanceOf(caller)).toBe(Number(FUNDS));
  });

  it.each<[string, () => Buffer]>([
    ['a film of sixteen bytes', () => films.subarray(0, 16)],
    ['a film that ends early', () => films.subarray(0, films.length / 2)],
    ['a film whose pictures are not there', () => hollow(films)],
    [
      'a film without a picture track',
      () => Buffer.from(films.toString('latin1').replace('vide', 'soun'), 'latin1'),
    ],
  ])('gives the money back for %s', async (_, made) => {
    replicate.files = { ...replicate.files, mp4: made() };
    const caller = await new WalletCaller().fund(world, FUNDS);

    const answer = await buy(caller, 'film');

    expect(answer.status).toBe(200);
    await expectEventually(async () => (await world.get(answer.body.poll)).body.chargeState === 'refunded');
    expect((await world.get(answer.body.poll)).body).toMatchObject({ status: 'failed' });
    expect(await balanceOf(caller)).toBe(Number(FUNDS));
  });

  it('is paid for a true one, whose file leads to its model and to nothing else', async () => {
    replicate.files = { ...replicate.files, png: await picture() };
    const caller = await new WalletCaller().fund(world, FUNDS);

    const answer = await buy(caller, 'picture');

    expect(answer.status).toBe(200);
    const { rawPayload: file } = await world.app.inject({
      method: 'GET',
      url: new URL(answer.body.url).pathname,
    });
    const reported = file.toString('latin1');
    expect(reported).not.toMatch(/ch_|job_|med_/);
    const [address] = /http[^"]*\/v1\/agent\/provenance\/prv_[\w-]+/.exec(reported) ?? [];
    const provenance = await world.get(new URL(address ?? '').pathname);
    expect(provenance.body).toEqual({
      model: 'picture',
      createdAt: expect.any(String),
      aiGenerated: true,
      sha256: createHash('sha256').update(file).digest('hex'),
    });
    expect((await world.get('/v1/agent/provenance/prv_unknown')).status).toBe(404);
  });

  it('holds up no neighbour with files that drip', async () => {
    const slow = await new WalletCaller().fund(world, FUNDS);
    const honest = await new WalletCaller().fund(world, FUNDS);
    replicate.files = { png: await picture(), mp4: films };
    replicate.drips = 12;
    const signed = await slow.signIn(world);
    for (let film = 0; film < 12; film += 1) {
      const body = { prompt: `slow film ${film}`, modelId: 'film', duration: 4 };
      await world.post('/v1/agent/generate', body, { 'sign-in-with-x': signed });
    }
    await expectEventually(() => replicate.dripping > 0);

    const answer = await buy(honest, 'picture');

    expect(answer.body).toMatchObject({ status: 'done' });
    expect(replicate.dripping).toBeGreaterThan(0);
    replicate.drips = 0;
    replicate.endDrips();
  });

  it('that was charged under an id which old files name shows strangers its state, and its owner all', async () => {
    replicate.files = { ...replicate.files, png: await picture() };
    const caller = await new WalletCaller().fund(world, FUNDS);
    const answer = await buy(caller, 'picture');
    const id = String(answer.headers['x-charge-id']);
    await world.db.rows('insert into published_charge (id) values ($1)', [id]);

    const stranger = await world.get(`/v1/agent/charges/${id}`);
    const other = await world.get(`/v1/agent/charges/${id}`, {
      'sign-in-with-x': await new WalletCaller().signIn(world),
    });
    const owner = await world.get(`/v1/agent/charges/${id}`, {
      'sign-in-with-x': await caller.signIn(world),
    });

    expect(stranger.body).toEqual({ id, state: 'charged' });
    expect(other.body).toEqual({ id, state: 'charged' });
    expect(owner.body).toMatchObject({ id, payer: caller.wallet, jobId: expect.any(String) });
  });
});
