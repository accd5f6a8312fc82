import { expectEnvelope } from '../support/envelope';
import { type Answer, World } from '../support/world';

const ALICE = `0x${'Ab'.repeat(20)}`;

interface Model {
  readonly id: string;
  readonly mode: string;
  readonly resolutions: readonly string[];
  readonly imageSizes: readonly string[];
  readonly durations: readonly number[];
  readonly pricing: { readonly priceMicro: Readonly<Record<string, number>> };
}

describe('POST /v1/agent/quote', () => {
  let world: World;

  const quote = (body: object): Promise<Answer> => world.post('/v1/agent/quote', body);
  const priceOf = async (body: object): Promise<number> => (await quote(body)).body.priceMicro;

  beforeAll(async () => {
    world = await World.start();
  });
  afterAll(() => world.stop());

  it('is had for the very body of a call to a paid route, and for nothing that is none', async () => {
    const body = { messages: [{ role: 'user', content: 'Say hello.' }], max_tokens: 64 };

    const call = await world.post('/v1/agent/quote?path=/v1/agent/chat', body);
    const malformed = await world.post('/v1/agent/quote?path=/v1/agent/chat', { messages: [] });
    const nowhere = await world.post('/v1/agent/quote?path=/v1/agent/jobs', body);
    const deposit = await world.post('/v1/agent/quote?path=/v1/agent/x402/top-up&usd=25', {});

    expect(call.body).toMatchObject({ modelId: 'lumen-flash', mode: 'chat', priceMicro: 2_000 });
    expect([malformed.status, malformed.body.error.param]).toEqual([400, 'messages']);
    expect([nowhere.status, nowhere.body.error.param]).toEqual([400, 'path']);
    expect(deposit.body).toMatchObject({ mode: 'top_up', priceMicro: 25_000_000 });
  });

  it('says everything about a picture', async () => {
    const asked = Date.now();

    const { status, body } = await quote({ modelId: 'ember-image', resolution: '2K' });

    expect(status).toBe(200);
    expect(body).toEqual({
      modelId: 'ember-image',
      mode: 't2i',
      priceMicro: 153_847,
      listPriceMicro: 153_847,
      providerCostMicro: 100_000,
      live: false,
      quoteId: expect.stringMatching(/^qt_/),
      expiresAt: expect.any(String),
    });
    const lastsSeconds = (Date.parse(body.expiresAt) - asked) / 1_000;
    expect(lastsSeconds).toBeGreaterThan(890);
    expect(lastsSeconds).toBeLessThanOrEqual(901);
  });

  it('names no cost for text, whose tokens nobody knows yet', async () => {
    const { body } = await quote({ modelId: 'lumen-flash', prompt: 'x'.repeat(7_001), max_tokens: 2_048 });

    expect(body).toMatchObject({ mode: 'chat', priceMicro: 4_403, listPriceMicro: 4_403, live: false });
    expect(body).not.toHaveProperty('providerCostMicro');
  });

  it.each([
    ['lumen-flash', 2_000, 4_403, 21_800],
    ['lumen-lite', 2_729, 6_258, 27_884],
    ['lumen-chat', 2_782, 6_791, 31_541],
    ['lumen-plus', 4_363, 10_860, 51_055],
    ['lumen-reason', 13_448, 29_351, 126_161],
    ['lumen-open', 4_529, 14_982, 81_056],
    ['lumen-code', 21_966, 51_723, 234_683],
    ['lumen-pro', 33_559, 83_554, 392_848],
    ['lumen-frontier', 54_551, 125_538, 560_784],
    ['lumen-vision-lite', 3_294, 7_815, 35_637],
    ['lumen-vision', 7_051, 16_717, 76_196],
    ['lumen-ultra', 81_860, 188_375, 841_144],
    ['lumen-steady', 14_422, 39_090, 192_907],
  ])('prices %s for a short, a long and the longest call', async (modelId, short, long, longest) => {
    const messages = (...lengths: readonly number[]): object[] =>
      lengths.map((length) => ({ role: 'user', content: 'é'.repeat(length) }));

    expect([
      await priceOf({ modelId, messages: messages(0), max_tokens: 1 }),
      await priceOf({ modelId, messages: messages(200, 500) }),
      await priceOf({ modelId, messages: messages(7_000, 1), max_tokens: 2_048 }),
      await priceOf({ modelId, messages: messages(24_000, 24_000), max_tokens: 8_192 }),
    ]).toEqual([2_000, short, long, longest]);
  });

  it('prices every tier and every step of every media model', async () => {
    const { models } = (await world.get('/v1/agent/models')).body as { models: readonly Model[] };
    const calls = models.flatMap((model) =>
      (model.durations.length === 0 ? [undefined] : model.durations).flatMap((duration) =>
        [...model.resolutions, ...model.imageSizes, undefined].map((tier) => ({ model, duration, tier })),
      ),
    );

    const quoted = await Promise.all(
      calls.map(({ model, duration, tier }) =>
        quote({
          modelId: model.id,
          duration,
          ...(model.resolutions.includes(tier ?? '') ? { resolution: tier } : { imageSize: tier }),
        }),
      ),
    );

    expect(calls.length).toBeGreaterThan(40);
    quoted.forEach(({ status, body }, index) => {
      const { model, duration = 1, tier } = calls[index]!;
      expect([status, body.modelId, body.mode]).toEqual([200, model.id, model.mode]);
      // Twenty thirteenths of the cost, rounded up once: between the published unit price and a micro a second less.
      const { priceMicro } = model.pricing;
      const units = (priceMicro[tier ?? ''] ?? priceMicro['default']!) * duration;
      expect(body.priceMicro).toBeLessThanOrEqual(units);
      expect(body.priceMicro).toBeGreaterThan(units - duration);
      expect(body.priceMicro).toBe(Math.max(4_546, Math.floor((body.providerCostMicro * 20 + 12) / 13)));
    });
  });

  it('counts an emoji as the one character that it is', async () => {
    const bought = { modelId: 'lumen-ultra', max_tokens: 1_024 };

    expect(await priceOf({ ...bought, prompt: '🦊'.repeat(700) })).toBe(81_860);
    expect(await priceOf({ ...bought, prompt: 'x'.repeat(1_400) })).toBe(84_940);
  });

  it('takes 48,000 characters over all messages, and not one more', async () => {
    const messages = (last: number): object[] => [
      { role: 'user', content: '🦊'.repeat(40_000) },
      { role: 'user', content: 'x'.repeat(last) },
    ];

    expect((await quote({ modelId: 'lumen-flash', messages: messages(8_000) })).status).toBe(200);
    expectEnvelope(await quote({ modelId: 'lumen-flash', messages: messages(8_001) }), {
      status: 400,
      code: 'INVALID_REQUEST',
      param: 'messages',
    });
  });

  it.each([
    ['99.99', 99_990_000, 30_770],
    ['100', 100_000_000, 29_232],
    ['499.999999', 499_999_999, 29_232],
    ['500', 500_000_000, 27_693],
    ['2000', 2_000_000_000, 26_155],
  ])(
    'gives a wallet that paid in %s USD its tier, in whatever case it is written',
    async (_usd, paidIn, price) => {
      const wallet = `0x${paidIn.toString(16).padStart(40, 'a')}`;
      await world.db.rows('insert into x402_payer (payer, paid_in_micro) values ($1, $2)', [wallet, paidIn]);

      const { body } = await quote({ modelId: 'ember-image', payer: `0x${wallet.slice(2).toUpperCase()}` });

      expect([body.priceMicro, body.listPriceMicro]).toEqual([price, 30_770]);
    },
  );

  it('gives no discount below the floor', async () => {
    const wallet = `0x${'f'.repeat(40)}`;
    await world.db.rows('insert into x402_payer (payer, paid_in_micro) values ($1, 2000000000)', [wallet]);

    expect(await priceOf({ modelId: 'ember-image-fast', payer: wallet })).toBe(4_546);
    expect(await priceOf({ modelId: 'lumen-flash', prompt: 'hello', payer: wallet })).toBe(2_000);
  });

  it('gives a stranger list price', async () => {
    expect(await priceOf({ modelId: 'ember-image', payer: ALICE })).toBe(30_770);
  });

  it('knows no model by a wrong name, and says which is near', async () => {
    const answer = await quote({ modelId: 'ember' });

    expectEnvelope(answer, { status: 404, code: 'UNKNOWN_MODEL', type: 'not_found', param: 'modelId' });
    expect(answer.body.error.message).toContain('Did you mean ember-image?');
  });

  it.each([
    [{ modelId: 'ember-image', model: 'lumen-flash' }, 'model'],
    [{ modelId: 'ember-image', payer: '0x12' }, 'payer'],
    [{}, 'modelId'],
    [{ modelId: '' }, 'modelId'],
    [{ modelId: 'ember-image', resolution: '8K' }, 'resolution'],
    [{ modelId: 'ember-image', duration: 4 }, 'duration'],
    [{ modelId: 'torch-video', duration: 7 }, 'duration'],
    [{ modelId: 'ember-image', audio: true }, 'audio'],
    [{ modelId: 'lumen-flash', max_tokens: 8_193 }, 'max_tokens'],
  ])('refuses %j and names the field', async (body, param) => {
    expectEnvelope(await quote(body), { status: 400, code: 'INVALID_REQUEST', param });
  });
});
