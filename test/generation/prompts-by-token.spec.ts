import type { MarginsAnswer } from '#faces/admin/admin-margins.dto';
import { Catalog } from '#models/catalog/catalog';
import { VendorCosts } from '#money/margins/vendor-costs';
import defaultCatalog from '../../src/models/catalog/default-catalog.json';
import { KeyCaller, WalletCaller } from '../support/caller';
import { catalogOf, filmEntry } from '../support/catalogs';
import { FakeOpenai } from '../support/fake-openai';
import { World } from '../support/world';

const STUDIO = defaultCatalog.media.find(({ id }) => id === 'ember-image-studio')!;
const routesOf = (...names: string[]) => STUDIO.routes.filter(({ model }) => names.includes(model));

/** Less than the vendor's cost of a picture. */
const CHEAP = { unit: 'image', usd: { default: '0.02', '1536x1024': '0.02', '1024x1536': '0.02' } };

const PRICE = 64_616;
const DISCOUNTED = 54_924;
/** The tokens at $5 a million that the price covers beside the cost of 3.4 cents, without those that a vendor adds. */
const bytesAt = (price: number): number => Math.floor((price - 34_000) / 5) - 100;
const BYTES_MAX = bytesAt(PRICE);
const COUNTED_MICRO = 10 * 5 + 40 * 8 + 50 * 32;

/** A prompt of so many bytes, with characters of four bytes. */
const promptOf = (bytes: number): string => '🏮'.repeat(Math.floor(bytes / 4)) + 'x'.repeat(bytes % 4);

describe('a vendor that bills the tokens of a prompt', () => {
  let world: World;
  let openai: FakeOpenai;
  let caller: KeyCaller;

  beforeAll(async () => {
    openai = await FakeOpenai.start();
    world = await World.start({
      ...openai.env,
      ALLOW_SANDBOX_MIX: 'true',
      ...catalogOf(
        [
          { ...STUDIO, id: 'studio', default: true, routes: routesOf('gpt-image-1.5', 'gpt-image-1-mini') },
          { ...STUDIO, id: 'alone', routes: routesOf('gpt-image-1.5') },
          { ...STUDIO, id: 'cheap', pricing: CHEAP, routes: routesOf('gpt-image-1.5') },
          filmEntry('film', [], {
            routes: [
              {
                provider: 'openai',
                model: 'sora-2',
                costUsd: { default: '0.1' },
                tokensUsd: { input: '500', output: '500' },
              },
            ],
          }),
        ],
        [],
      ),
    });
    caller = await KeyCaller.register(world, 10_000_000n);
  });

  afterEach(() => world.expectBooksToBalance());
  afterAll(async () => {
    await world.stop();
    await openai.stop();
  });

  const draw = (modelId: string, bytes: number, more: object = {}, headers?: Record<string, string>) =>
    world.post(
      '/v1/agent/generate',
      { modelId, prompt: promptOf(bytes), ...more },
      headers ?? { 'x-api-key': caller.key },
    );
  const lastModel = (): string => (JSON.parse(openai.images.at(-1)!) as { model: string }).model;
  const balance = async (): Promise<number> =>
    (await world.get('/v1/agent/balance', { 'x-api-key': caller.key })).body.balanceMicro;

  it('gets only prompts whose tokens the price covers at worst, and another vendor gets the others', async () => {
    const charges: unknown[] = [];
    for (const [bytes, model] of [
      [BYTES_MAX, 'gpt-image-1.5'],
      [BYTES_MAX + 1, 'gpt-image-1-mini'],
      [8_000, 'gpt-image-1-mini'],
    ] as const) {
      const { status, headers } = await draw('studio', bytes);
      charges.push([status, headers['x-charge-micro'], lastModel()]);
      expect(charges.at(-1)).toEqual([200, String(PRICE), model]);
    }
  });

  it('gets as long a prompt for several results, whose price is higher', async () => {
    const { headers } = await draw('studio', BYTES_MAX, { n: 2 });
    expect([headers['x-charge-micro'], lastModel()]).toEqual([String(2 * PRICE), 'gpt-image-1.5']);
    await draw('studio', BYTES_MAX + 1, { n: 2 });
    expect(lastModel()).toBe('gpt-image-1-mini');
  });

  it('gets a shorter prompt for a price with a discount', async () => {
    const wallet = new WalletCaller();
    await wallet.fund(world, 1_000_000n);
    const payer = [wallet.wallet.toLowerCase()];
    await world.db.rows('insert into x402_payer (payer, paid_in_micro) values ($1, 2000000000)', payer);
    const drawAt = async (bytes: number) => {
      const { headers } = await draw('studio', bytes, {}, { 'sign-in-with-x': await wallet.signIn(world) });
      return [headers['x-charge-micro'], lastModel()];
    };
    const most = bytesAt(DISCOUNTED);
    expect(await drawAt(most)).toEqual([String(DISCOUNTED), 'gpt-image-1.5']);
    expect(await drawAt(most + 1)).toEqual([String(DISCOUNTED), 'gpt-image-1-mini']);
    // The books would miss the money that this wallet never paid in.
    await world.db.rows('delete from x402_payer where payer = $1', payer);
  });

  it('is the only one: a longer prompt is refused in words, and nothing is charged', async () => {
    const [before, drawn] = [await balance(), openai.images.length];
    const { status, body } = await draw('alone', BYTES_MAX + 1);

    expect([status, body.error.code, body.error.param]).toEqual([400, 'INVALID_REQUEST', 'prompt']);
    expect(body.error.message).toBe(
      `alone takes prompts of at most ${BYTES_MAX} bytes at this price, and this one has ${BYTES_MAX + 1}. Nothing was charged.`,
    );
    expect([await balance(), openai.images.length]).toEqual([before, drawn]);
    expect((await draw('alone', BYTES_MAX)).status).toBe(200);
  });

  it('is the only one: a longer prompt is refused before anybody pays for it', async () => {
    const body = { modelId: 'alone', prompt: promptOf(BYTES_MAX + 1) };
    const key = { 'x-api-key': caller.key };
    const answers = await Promise.all([
      world.post('/v1/agent/generate', body),
      world.post('/v1/agent/generate', { ...body, dryRun: true }, key),
      world.post('/v1/agent/quote?path=/v1/agent/generate', body),
      world.post('/v1/agent/images/generations', { model: 'alone', prompt: body.prompt }),
    ]);
    expect(answers.map(({ status, body: { error } }) => [status, error?.param])).toEqual(
      answers.map(() => [400, 'prompt']),
    );
    expect((await world.post('/v1/agent/generate', { ...body, prompt: 'x' })).status).toBe(402);
  });

  it('is the only one for a film: a longer prompt is refused before anybody pays for it', async () => {
    const key = { 'x-api-key': caller.key };
    const ask = async (bytes: number) => {
      const body = { model: 'film', prompt: promptOf(bytes) };
      const answers = await Promise.all([
        world.post('/v1/agent/videos', body),
        world.post('/v1/agent/videos', { ...body, dryRun: true }, key),
        world.post('/v1/agent/quote?path=/v1/agent/videos', body),
      ]);
      return answers.map(({ status }) => status);
    };
    expect([await ask(100), await ask(2_000)]).toEqual([
      [402, 200, 200],
      [400, 400, 400],
    ]);
  });

  it('is the only one: a quote of the model, and the 402 at a discount, refuse what the paid call would', async () => {
    const quoteOf = (bytes: number) =>
      world.post('/v1/agent/quote', { modelId: 'alone', prompt: promptOf(bytes) });
    expect([(await quoteOf(BYTES_MAX)).status, (await quoteOf(BYTES_MAX + 1)).status]).toEqual([200, 400]);

    const payer = new WalletCaller().wallet.toLowerCase();
    await world.db.rows('insert into x402_payer (payer, paid_in_micro) values ($1, 2000000000)', [payer]);
    const most = bytesAt(DISCOUNTED);
    const ask = async (path: string, bytes: number) =>
      (await world.post(path, { modelId: 'alone', prompt: promptOf(bytes), payer })).status;
    const quote = '/v1/agent/quote?path=/v1/agent/generate';
    const asked = [
      await ask('/v1/agent/generate', most),
      await ask('/v1/agent/generate', most + 1),
      await ask(quote, most),
      await ask(quote, most + 1),
    ];
    await world.db.rows('delete from x402_payer where payer = $1', [payer]);
    expect(asked).toEqual([402, 400, 200, 400]);
  });

  it('gets a prompt that the price of a quote covers, though the price has fallen since', async () => {
    const body = { modelId: 'alone', prompt: promptOf(BYTES_MAX) };
    const { quoteId, priceMicro } = (await world.post('/v1/agent/quote', body)).body;
    const model = world.app.get(Catalog, { strict: false }).media.get('alone')!;
    const { costs } = model;
    Object.assign(model, { costs: new Map([...costs].map(([size]) => [size, 30_000n])) });
    const key = { 'x-api-key': caller.key };
    const [quoted, dry, unquoted] = [
      await world.post('/v1/agent/generate', { ...body, quoteId }, key),
      await world.post('/v1/agent/generate', { ...body, quoteId, dryRun: true }, key),
      await world.post('/v1/agent/generate', { ...body, dryRun: true }, key),
    ];
    Object.assign(model, { costs });
    expect([quoted.status, quoted.headers['x-charge-micro']]).toEqual([200, String(priceMicro)]);
    expect([dry.status, unquoted.status]).toEqual([200, 400]);
  });

  it('gets no prompt if the price does not cover its pictures, and the answer does not blame the prompt', async () => {
    const [before, drawn] = [await balance(), openai.images.length];
    const { status, body } = await draw('cheap', 1);
    expect([status, body.error.code]).toEqual([503, 'NOT_OFFERED']);
    expect(body.error.message).toMatch(/^cheap is not sold at the moment\. Nothing was charged/);
    expect([await balance(), openai.images.length]).toEqual([before, drawn]);
  });

  /** This test runs last, because it compares the sum of all calls. */
  it('shows in the margins what its answers count', async () => {
    const { calls } = (await world.db.one<{ calls: number }>(
      `select count(*)::int as calls from job where model_id = 'alone' and status = 'done'`,
    ))!;
    await world.app.get(VendorCosts, { strict: false }).write();

    const operator = { authorization: 'Bearer an-admin-token-for-tests' };
    const { days } = (await world.get('/v1/admin/margins', operator)).body as MarginsAnswer;
    expect(days.find(({ modelId }) => modelId === 'alone')).toMatchObject({
      routes: [{ costMicro: calls * COUNTED_MICRO, reportedMicro: calls * COUNTED_MICRO }],
    });
    expect(calls).toBe(2);
  });
});
