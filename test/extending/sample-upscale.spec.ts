import './acme/in-the-list';
import './sample-upscale/in-the-list';

import { readFileSync } from 'node:fs';

import sharp from 'sharp';

import { holdRouteToContract, routeStages } from '../contract/route-contract';
import { Library, dataUri, keyCaller, pictureUri } from '../references/library-callers';
import { KeyCaller } from '../support/caller';
import { catalogOf, pictureEntry, textEntry } from '../support/catalogs';
import { World } from '../support/world';
import { walkThroughText } from '../support/walk-throughs';
import { FakeAcme } from './acme/fake-acme';
import { FramesSources } from './sample-frames/frames-sources';
import { SampleUpscaleSources } from './sample-upscale/sample-upscale-sources';

const FILES = [
  'sample-upscale.dto.ts',
  'sample-upscale.pricer.ts',
  'sample-upscale-sources.ts',
  'sample-upscale.controller.ts',
  'sample-upscale.module.ts',
];

const URL = '/v1/agent/sample-upscale';

const SELLS = catalogOf(
  [
    pictureEntry('upscaler', ['acme:upscaler'], {
      mode: 'i2i',
      aspectRatios: [],
      resolutions: ['2K', '4K'],
      pricing: { unit: 'image', usd: { default: '0.02', '4K': '0.06' } },
    }),
  ],
  [textEntry('words', ['sandbox:words'])],
);

describe("a paid route on a vendor's operation", () => {
  const acme = new FakeAcme();
  const stageOf = routeStages(async () => {
    await acme.start();
    acme.beginning = 'done';
    return { ...acme.env, ...SELLS, FETCH_ALLOW_HOSTS: acme.host, ALLOW_SANDBOX_MIX: 'true' };
  });
  let world: World;

  beforeAll(() => {
    ({ world } = stageOf('x402'));
  });
  afterAll(() => acme.stop());

  it.each(FILES)('is in the walk-through, word for word: %s', (file) => {
    const source = readFileSync(`test/extending/sample-upscale/${file}`, 'utf8');

    expect(walkThroughText()).toContain(source);
  });

  const buy = async (body: object, key?: string) =>
    world.post(URL, body, { 'x-api-key': key ?? (await KeyCaller.register(world, 1_000_000n)).key });

  it.each([
    ['2x', 2],
    ['4x', 4],
  ] as const)('asks the vendor for the scale that it sells: %s', async (scale, factor) => {
    const answer = await buy({ image: await pictureUri(), scale });

    expect(answer.body).toMatchObject({ status: 'done', url: expect.stringContaining('/media/') });
    expect(acme.asked).toMatchObject({
      model: 'upscaler',
      factor,
      image: expect.stringMatching(/^data:image\/png/),
    });
    const charge = await world.db.one('select operation, billed_micro as bill from charge where id = $1', [
      answer.headers['x-charge-id'],
    ]);
    expect(charge).toEqual({ operation: 'sample_upscale', bill: '10000' });
  });

  it('takes a reference of the caller instead of a picture', async () => {
    const caller = await keyCaller(world);
    const image = await new Library(world, caller).keep(await pictureUri());

    const answer = await world.post(URL, { image }, await caller.headers());

    expect(answer.body).toMatchObject({ status: 'done' });
    const { jobId } = (await world.get(`/v1/agent/charges/${answer.headers['x-charge-id']}`)).body;
    expect((await world.get(`/v1/agent/jobs/${jobId}`)).body.references).toEqual([
      { id: image, input: 'image' },
    ]);
  });

  it('says that the service lacks the model of the route, because a caller can not name another', async () => {
    const without = await World.start({
      ...acme.env,
      ...catalogOf([pictureEntry('other', ['acme:upscaler'])], [textEntry('words', ['sandbox:words'])]),
      ALLOW_SANDBOX_MIX: 'true',
    });
    try {
      const { key } = await KeyCaller.register(without, 1_000_000n);
      for (const body of [{ image: await pictureUri() }, {}]) {
        const answer = await without.post(
          URL,
          body,
          Object.keys(body).length > 0 ? { 'x-api-key': key } : {},
        );
        expect(answer).toMatchObject({ status: 503, body: { error: { code: 'NOT_OFFERED' } } });
        expect(answer.body.error.message).toContain('upscaler');
        expect(answer.body.error.param ?? null).toBeNull();
        expect(answer.body.fix).toBeUndefined();
      }
    } finally {
      await without.stop();
    }
  });

  it('refuses a picture with more megapixels than the price covers, if its preparer measures it', async () => {
    const measuring = await World.start(
      { ...acme.env, ...SELLS, FETCH_ALLOW_HOSTS: acme.host, ALLOW_SANDBOX_MIX: 'true' },
      (builder) => builder.overrideProvider(SampleUpscaleSources).useClass(FramesSources),
    );
    try {
      const { key } = await KeyCaller.register(measuring, 1_000_000n);
      const large = await sharp({ create: { width: 1_500, height: 1_000, channels: 3, background: 'red' } })
        .png()
        .toBuffer();
      const send = (image: string) => measuring.post(URL, { image }, { 'x-api-key': key });

      const [small, refused] = [await send(await pictureUri()), await send(dataUri('image/png', large))];

      expect([small.status, refused.status]).toEqual([200, 400]);
      expect(refused.body.error).toMatchObject({ param: 'megapixels' });
      expect(await measuring.db.rows('select from charge')).toHaveLength(1);
      await measuring.expectBooksToBalance();
    } finally {
      await measuring.stop();
    }
  });

  describe(`POST ${URL}`, () => {
    holdRouteToContract(URL, stageOf);
  });
});
