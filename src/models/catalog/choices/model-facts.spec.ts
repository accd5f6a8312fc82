import type { TokenPrices } from '#models/providers/token-prices';
import { readSettings } from '../../../settings';
import { Catalog } from '../catalog';
import type { TextModel } from '../catalog-models';
import { modelFacts, risesText } from './model-facts';

const at = (input: bigint, more: object = {}) => ({ input, output: 1_000_000n, ...more }) as TokenPrices;

describe('the note of a vendor that raises the price', () => {
  it('has only the kinds whose price rises', () => {
    const dearer = at(6_250_000n, { cacheRead: 625_000n });
    expect(risesText(at(5_000_000n), dearer)).toBe('input from $5.00 to $6.25');
  });

  it('is none if no price rises', () => {
    expect(risesText(at(5_000_000n), at(5_000_000n, { cacheRead: 625_000n }))).toBeUndefined();
    expect(risesText(at(5_000_000n), at(5_000_000n))).toBeUndefined();
  });

  it('has a price that rises at a step only', () => {
    const above = [{ tokens: 200_000, prices: at(6_000_000n) }];
    expect(risesText(at(5_000_000n), at(5_000_000n, { above }))).toMatch(/^input from \$5\.00 to /);
  });
});

describe('the cost of a picture', () => {
  it('is that of a picture, also if its vendors bill the tokens', () => {
    const settings = readSettings({ OPENAI_API_KEY: 'a-key', ALLOW_SANDBOX_MIX: 'true' });
    const facts = modelFacts({
      catalog: new Catalog(settings),
      lists: [],
      patterns: { only: [], without: [] },
      off: [],
      choices: new Map(),
      price: settings.price,
    });
    const { cost, routes } = facts.find(({ id }) => id === 'ember-image-studio')!;
    const units = { default: '0.034000', '1536x1024': '0.050200', '1024x1536': '0.050700' };
    expect(routes[0]).toEqual({ provider: 'openai', model: 'gpt-image-1.5', cost: units });
    expect(cost).toEqual({ default: '0.042000', '1536x1024': '0.063000', '1024x1536': '0.063000' });
  });
});

describe('the mark of a price below the cost', () => {
  const settings = readSettings({
    OPENAI_API_KEY: 'a-key',
    GEMINI_API_KEY: 'a-key',
    ALLOW_SANDBOX_MIX: 'true',
  });
  const below = (...listed: readonly TextModel[]) => {
    const catalog = new Catalog(settings);
    catalog.offer({ text: listed });
    const { price } = settings;
    const sources = { lists: [], patterns: { only: [], without: [] }, off: [], choices: new Map(), price };
    return modelFacts({ catalog, ...sources }).flatMap(({ id, isBelowCost }) => (isBelowCost ? [id] : []));
  };
  const model = (id: string, cost: object, more: object = {}): TextModel => ({
    id,
    name: id,
    isListed: true,
    rates: at(1_000_000n),
    routes: [{ provider: 'openai', model: id, prices: at(1_000_000n, cost) }],
    ...more,
  });

  it('is only for kinds of tokens that the model accepts', () => {
    const picture = { inputImage: 1_000_001n };
    expect(
      below(
        model('a', { inputAudio: 1_000_001n, outputAudio: 1_000_001n }),
        model('b', { output: 1_000_001n }),
        model('c', picture),
        model('d', picture, { vision: true }),
      ),
    ).toEqual(['b', 'd']);
  });

  it('is also for a model whose costs are not known at all of its routes', () => {
    const own = { provider: 'gemini' as const, model: 'a' };
    const known = { provider: 'openai' as const, model: 'a', prices: at(1_000_001n) };
    expect(below(model('a', {}, { routes: [own, known] }), model('b', {}, { routes: [own] }))).toEqual(['a']);
  });
});
