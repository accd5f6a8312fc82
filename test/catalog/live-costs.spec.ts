import { Catalog } from '#models/catalog/catalog';
import { LiveCosts } from '#models/catalog/live-costs';
import { WalletCaller } from '../support/caller';
import { catalogOf, filmEntry, pictureEntry } from '../support/catalogs';
import { FakeFal } from '../support/fake-fal';
import { World } from '../support/world';

const MODEL = 'fal-ai/flux/dev';
const FILM = 'fal-ai/veo3/fast';

const CATALOG = catalogOf(
  [
    pictureEntry('picture', [`fal:${MODEL}`], {
      pricing: { unit: 'image', usd: { default: '0.02', '2K': '0.04' } },
      resolutions: ['1K', '2K'],
    }),
    pictureEntry('second', [`fal:${MODEL}`], {
      routes: [
        { provider: 'fal', model: MODEL },
        { provider: 'replicate', model: 'black-forest-labs/flux-dev', costUsd: { default: '0.02' } },
      ],
    }),
    filmEntry('film', [`fal:${FILM}`], { resolutions: [], durations: [4, 8] }),
  ],
  [],
);

describe('live costs', () => {
  let world: World;
  let fal: FakeFal;

  beforeAll(async () => {
    fal = await FakeFal.start();
    fal.prices[MODEL] = { unit_price: 0.025, unit: 'images' };
    world = await World.start({
      ...fal.env,
      REPLICATE_API_TOKEN: 'a-token-of-replicate-0123456789',
      ALLOW_SANDBOX_MIX: 'true',
      ...CATALOG,
    });
  });

  beforeEach(() => reported({ unit_price: 0.025, unit: 'images' }));
  afterEach(() => world.expectBooksToBalance());

  afterAll(async () => {
    await world.stop();
    await fal.stop();
  });

  const reported = async (price?: FakeFal['prices'][string], model = MODEL): Promise<void> => {
    if (price === undefined) delete fal.prices[model];
    else fal.prices[model] = price;
    await world.app.get(LiveCosts, { strict: false }).refresh();
  };

  const quote = async (more: object = {}) =>
    (await world.post('/v1/agent/quote', { modelId: 'picture', ...more })).body;

  it('are what a quote is made of, in proportion for each tier', async () => {
    expect(await quote()).toMatchObject({ live: true, providerCostMicro: 25_000, priceMicro: 38_462 });
    expect(await quote({ resolution: '2K' })).toMatchObject({ live: true, providerCostMicro: 50_000 });
  });

  it('are what a call is charged, and what the catalog shows', async () => {
    const caller = await new WalletCaller().fund(world, 1_000_000n);
    const headers = { 'sign-in-with-x': await caller.signIn(world) };

    const answer = await world.post(
      '/v1/agent/generate',
      { prompt: 'x', modelId: 'picture', dryRun: true },
      headers,
    );
    const models = await world.get('/v1/agent/models');

    expect(answer.body).toMatchObject({ priceMicro: 38_462 });
    expect(models.body.models[0].pricing.priceMicro).toEqual({ default: 38_462, '2K': 76_924 });
  });

  it('change no price that a quote has locked', async () => {
    const { quoteId } = await quote();
    await reported({ unit_price: 0.03, unit: 'image' });
    const caller = await new WalletCaller().fund(world, 1_000_000n);
    const headers = { 'sign-in-with-x': await caller.signIn(world) };
    const body = { prompt: 'x', modelId: 'picture', dryRun: true };

    const locked = await world.post('/v1/agent/generate', { ...body, quoteId }, headers);
    const open = await world.post('/v1/agent/generate', body, headers);

    expect([locked.body.priceMicro, open.body.priceMicro]).toEqual([38_462, 46_154]);
  });

  it.each([
    ['a price far below the rate card', { unit_price: 0.0001, unit: 'image' }],
    ['a price far above it', { unit_price: 25, unit: 'image' }],
  ])('are not believed when they are %s', async (_, price) => {
    await reported(price);

    expect(await quote()).toMatchObject({ live: false, providerCostMicro: 20_000, priceMicro: 30_770 });
  });

  it.each([
    ['another unit', { unit_price: 0.025, unit: 'megapixels' }],
    ['another currency', { unit_price: 0.025, unit: 'second', currency: 'EUR' }],
    ['no number', { unit_price: 'cheap' as unknown as number, unit: 'second' }],
  ])('are left to the rate card when the provider says %s', async (_, price) => {
    await reported(price, FILM);

    expect(await quote({ modelId: 'film' })).toMatchObject({ live: false, providerCostMicro: 400_000 });
  });

  it('never sell below the cost of the other routes, and are those of the first route alone', async () => {
    await reported({ unit_price: 0.006, unit: 'image' });
    const price = async () => (await world.post('/v1/agent/quote', { modelId: 'second' })).body;
    expect(await quote()).toMatchObject({ live: true, priceMicro: 9_231 });
    expect(await price()).toMatchObject({ live: true, priceMicro: 20_000 });

    const catalog = world.app.get(Catalog, { strict: false });
    catalog.sellWithout({ models: new Set(), providers: new Set(['fal']) });
    expect(await price()).toMatchObject({ live: false, priceMicro: 30_770 });
    catalog.sellWithout({ models: new Set(), providers: new Set() });
    expect(await price()).toMatchObject({ live: true, priceMicro: 20_000 });
  });

  it('hold for a while when the provider cannot be asked', async () => {
    fal.failNext('pricing', 500);
    await world.app.get(LiveCosts, { strict: false }).refresh();

    expect(await quote()).toMatchObject({ live: true, priceMicro: 38_462 });
  });
});
