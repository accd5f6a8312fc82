import { randomBytes } from 'node:crypto';
import { mkdtempSync, writeFileSync } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import sharp from 'sharp';

import { WalletCaller } from '../support/caller';
import { shortenDeadlines } from '../support/deadlines';
import { expectEventually } from '../support/eventually';
import { FakeReplicate } from '../support/fake-replicate';
import { type Answer, World } from '../support/world';
import { dataUri } from '../references/library-callers';

const FUNDS = 1_000_000_000n;

const model = (id: string, mode: string, more: object) => ({
  id,
  name: id,
  mode,
  aspectRatios: ['1:1'],
  resolutions: [],
  imageSizes: [],
  durations: [],
  pricing: { unit: 'image', usd: { default: '0.02' } },
  deadlineSeconds: 60,
  routes: [{ provider: 'replicate', model: `lamppost/${id}` }],
  ...more,
});

const CATALOG = {
  media: [
    model('swap', 'swap', {}),
    model('film', 't2v', { durations: [4], pricing: { unit: 'second', usd: { default: '0.1' } } }),
  ],
  text: [],
};

/** Too large to stand in a call itself. */
const largePicture = (): Promise<Buffer> =>
  sharp(randomBytes(600 * 600 * 3), { raw: { width: 600, height: 600, channels: 3 } })
    .png()
    .toBuffer();

describe('files that take their time', () => {
  let replicate: FakeReplicate;
  let world: World;
  let caller: WalletCaller;

  beforeAll(async () => {
    replicate = await FakeReplicate.start();
    replicate.words = ['succeeded'];
    const catalog = join(mkdtempSync(join(tmpdir(), 'lamppost-catalog-')), 'catalog.json');
    writeFileSync(catalog, JSON.stringify(CATALOG));
    world = await World.start({
      ...replicate.env,
      CATALOG_FILE: catalog,
      ALLOW_SANDBOX_MIX: 'true',
      FETCH_ALLOW_HOSTS: replicate.host,
      MEDIA_SYNC_SECONDS: '1',
      DATA_DIR: mkdtempSync(join(tmpdir(), 'lamppost-data-')),
    });
    caller = await new WalletCaller().fund(world, FUNDS);
  });

  afterEach(() => world.expectBooksToBalance());

  afterAll(async () => {
    await world.stop();
    await replicate.stop();
  });

  const generate = async (body: object): Promise<Answer> =>
    world.post(
      '/v1/agent/generate',
      { prompt: 'a red fox', ...body },
      { 'sign-in-with-x': await caller.signIn(world) },
    );

  const stateOf = async (answer: Answer): Promise<string> =>
    (await world.get(`/v1/agent/charges/${answer.headers['x-charge-id']}`)).body.state;

  it('of a caller live until the submission that reads them has ended, and no longer', async () => {
    const upload = replicate.holdNext('upload');
    const [image, image2] = [await largePicture(), await largePicture()];

    const answer = await generate({
      modelId: 'swap',
      image: dataUri('image/png', image),
      image2: dataUri('image/png', image2),
    });
    upload.open();

    expect(answer.status).toBe(503);
    // Nobody holds the charge any more, and the sweep asks what became of its work once its lease is over.
    await expectEventually(async () => {
      await world.db.rows(`update charge set lease_until = now() where state = 'held'`);
      return (await stateOf(answer)) === 'charged';
    });
    expect(replicate.uploads.map((form) => form.includes(image2))).toEqual([false, true]);
    const left = async (): Promise<number> =>
      (await readdir(join(world.settings.dataDir, 'incoming')).catch(() => [])).length;
    await expectEventually(async () => (await left()) === 0);
  });

  it('of a vendor are not waited for once their job is decided', async () => {
    replicate.drips = 1;
    await shortenDeadlines(world, 4);

    const answer = await generate({ modelId: 'film', duration: 4 });
    await expectEventually(() => replicate.dripping === 1);
    await expectEventually(async () => (await stateOf(answer)) === 'refunded');

    const decided = performance.now();
    await expectEventually(() => replicate.dripping === 0);
    // By itself the download ends a minute after its begin.
    expect(performance.now() - decided).toBeLessThan(30_000);
  });
});
