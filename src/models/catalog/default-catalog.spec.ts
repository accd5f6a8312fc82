import { readSettings } from '../../settings';
import { bookPrice } from './book/price-book';
import { mediaPriceOf, mediaTokensOf } from './book/media-book';
import { openaiModel } from '#models/providers/openai/openai-models';
import { vendorOf } from '#models/providers/vendors';
import { Catalog } from './catalog';
import type { MediaModel } from './catalog-models';
import { ChatPriceCalculator, tokensPrice } from './chat-price-calculator';
import type { LiveCosts } from './live-costs';
import { MediaPriceCalculator, costOf, mediaPrice, optionsOf } from './media-price-calculator';
import { largestShare, marked, pricesIn } from './rates';
import { promptBytesMax } from './route-costs';
import { TIERS, discounted } from './volume-discount';

/** The service with a key of every vendor. */
const settings = readSettings({
  ALLOW_SANDBOX_MIX: 'true',
  CATALOG: 'retail',
  ...Object.fromEntries(
    [
      'OPENAI_API_KEY',
      'FAL_KEY',
      'REPLICATE_API_TOKEN',
      'ANTHROPIC_API_KEY',
      'GEMINI_API_KEY',
      'MISTRAL_API_KEY',
      'XAI_API_KEY',
      'BEDROCK_ACCESS_KEY_ID',
      'BFL_API_KEY',
      'RUNWAY_API_KEY',
    ].map((name) => [name, 'a-key-0123456789abcdef']),
  ),
});
const catalog = new Catalog(settings);
const bookIdOf = (name: string): string =>
  vendorOf(settings.providers.find((own) => own.name === name)!).book ?? '';

/** Makers whose price of the only known route nobody could read. The operator must compare them. */
const UNKNOWN = ['fal-ai/face-swap', 'fal-ai/wan-motion', 'fal-ai/stable-diffusion-v35-large'];

const tiersOf = ({ resolutions, imageSizes }: MediaModel): readonly string[] =>
  [...resolutions, ...imageSizes].length === 0 ? ['default'] : [...resolutions, ...imageSizes];

describe("the catalog's own models", () => {
  it("have routes to today's models of several makers", () => {
    const vendors = new Set(
      [...catalog.text.values(), ...catalog.media.values()].flatMap(({ routes }) =>
        routes.map(({ provider }) => provider),
      ),
    );
    expect([...vendors]).toEqual(
      expect.arrayContaining([
        'openai',
        'anthropic',
        'gemini',
        'mistral',
        'xai',
        'bedrock',
        'fal',
        'replicate',
        'bfl',
        'runway',
      ]),
    );
  });

  const texts = [...catalog.text.values()].flatMap((model) =>
    model.routes.map((route) => ({ model, route })),
  );

  it('call tools if all their vendors can, and say so in the lists', () => {
    // Nobody has checked the tools of gpt-oss at Bedrock.
    expect([...catalog.text.values()].filter(({ tools }) => tools !== true).map(({ id }) => id)).toEqual([
      'lumen-open',
    ]);
    for (const { model, route } of texts.filter(({ route: { provider } }) => provider === 'openai')) {
      expect([model.id, openaiModel(route.model, {}).tools]).toEqual([model.id, true]);
    }
  });

  it.each(
    texts.map(
      ({ model, route }) => [model.id, `${route.provider}:${route.model}`, { model, route }] as const,
    ),
  )('%s never costs more at %s than it sells for, at any length', (_id, _route, { model, route }) => {
    const found = bookPrice({ providerId: bookIdOf(route.provider) }, route.model);
    if ('why' in found) throw new Error(found.why);
    // The price in the catalog is the one of the book.
    expect(route.prices).toEqual(found.prices);
    const lengths = (found.prices.above ?? []).flatMap(({ tokens }) => [tokens, tokens + 1]);
    for (const promptTokens of [1, 1_000, 1_000_000, ...lengths]) {
      for (const kind of ['', 'cacheReadTokens', 'cacheWriteTokens', 'cacheWrite1hTokens']) {
        const counted = {
          promptTokens,
          completionTokens: 0,
          [kind]: promptTokens,
          ...(kind === 'cacheWrite1hTokens' ? { cacheWriteTokens: promptTokens } : {}),
        };
        for (const each of [counted, { promptTokens, completionTokens: 100_000 }])
          expect(tokensPrice(model.rates, each)).toBeGreaterThanOrEqual(tokensPrice(found.prices, each));
      }
    }
  });

  const chat = new ChatPriceCalculator(settings);

  it.each(
    texts.map(
      ({ model, route }) => [model.id, `${route.provider}:${route.model}`, { model, route }] as const,
    ),
  )('%s never costs more at %s than the discount of a batch leaves', (_id, _route, { model, route }) => {
    const share = largestShare(
      model.routes.flatMap(({ prices }) => prices ?? []),
      model.rates,
    );
    for (const promptTokens of [0, 1, 999, 199_999, 272_001, 1_000_000]) {
      for (const completionTokens of [0, 1, 8_000]) {
        for (const cacheReadTokens of [0, promptTokens]) {
          const usage = { promptTokens, completionTokens, cacheReadTokens };
          const sold = chat.ofTokens(model.rates, tokensPrice(model.rates, usage), true, 50, share);
          expect(sold).toBeGreaterThanOrEqual(tokensPrice(route.prices!, usage));
        }
      }
    }
  });

  const results = [...catalog.media.values()].flatMap((model) =>
    model.routes
      .filter((route) => !UNKNOWN.includes(route.model))
      .flatMap((route) => tiersOf(model).map((tier) => ({ model, route, tier }))),
  );

  it.each(
    results.map(
      (each) => [each.model.id, each.tier, `${each.route.provider}:${each.route.model}`, each] as const,
    ),
  )('%s in %s never costs more at %s than it sells for', (_id, _tier, _route, { model, route, tier }) => {
    const cost = mediaPriceOf(route.provider, route.model, { tier });
    expect(cost).toBeDefined();
    const price = mediaPrice(settings.price, model.costs.get(tier) ?? model.costs.get('default')!);
    expect(price).toBeGreaterThanOrEqual(cost!);
    expect(route.costs?.get(tier) ?? route.costs?.get('default')).toBeGreaterThanOrEqual(cost!);
  });

  it('have the prices of tokens that the book has, if a maker bills pictures by tokens', () => {
    const routes = [...catalog.media.values()].flatMap((model) => model.routes);
    for (const { provider, model, prices } of routes) {
      const book = mediaTokensOf(provider, model);
      expect([model, prices]).toEqual([model, book && pricesIn(book)]);
    }
    expect(routes.filter(({ prices }) => prices !== undefined).map(({ model }) => model)).toEqual([
      'gpt-image-1.5',
      'gpt-image-1-mini',
    ]);
  });

  const pricing = new MediaPriceCalculator(settings, {
    of: ({ costs }: MediaModel) => ({ costs, live: false }),
  } as unknown as LiveCosts);
  const LARGEST = Math.max(...TIERS.map(({ percent }) => percent));

  /** The tokens that OpenAI counts for a picture of medium quality. Its prices of pictures are rounded, also down. */
  const COUNTED = { '1024x1024': 1_056, '1024x1536': 1_584, '1536x1024': 1_568 };

  it.each(Object.entries(COUNTED))(
    'never cost more than a picture of %s sells for, even if each byte of the prompt is a token',
    (imageSize, completionTokens) => {
      for (const model of catalog.media.values()) {
        for (const route of model.routes.filter(({ prices }) => prices !== undefined)) {
          const options = optionsOf(model, { imageSize });
          const { list, floor } = pricing.price(model, options);
          const price = discounted(list, LARGEST, floor);
          const bytes = promptBytesMax(route, options, price, costOf(route.costs!, options))!;
          const promptTokens = Number(bytes) + 100;
          expect(price).toBeGreaterThanOrEqual(
            tokensPrice(route.prices!, { promptTokens, completionTokens }),
          );
        }
      }
    },
  );

  it.each([...catalog.media.values()].map((model) => [model.id, model] as const))(
    '%s never costs more at any route than the largest discount leaves of its price',
    (_id, model) => {
      const { durations, resolutions, imageSizes, capabilities } = model;
      const each = <T>(values: readonly T[]): readonly (T | undefined)[] => [undefined, ...values];
      for (const duration of each(durations)) {
        for (const resolution of each(resolutions)) {
          for (const imageSize of each(imageSizes)) {
            for (const n of each(capabilities.n === undefined ? [] : [2, 3, 4])) {
              const options = optionsOf(model, { duration, resolution, imageSize, n });
              const { list, floor } = pricing.price(model, options);
              for (const { costs = new Map() } of model.routes)
                expect(discounted(list, LARGEST, floor)).toBeGreaterThanOrEqual(costOf(costs, options));
            }
          }
        }
      }
    },
  );

  it.each([...catalog.audio.values()].map((model) => [model.id, model] as const))(
    '%s sells above its cost',
    (_id, model) => {
      for (const { provider, model: name } of model.routes) {
        const cost = mediaPriceOf(provider, name, { tier: 'default' });
        expect(marked(model.unitCost, settings.price.mediaMarkup)).toBeGreaterThan(cost!);
      }
    },
  );
});
