import { micro } from '#kernel/money';
import type { TokenPrices } from '#models/providers/token-prices';
import { mediaCost, textCost, withRefusal } from './route-costs';

const RATES = { input: micro(3_000_000n), output: micro(15_000_000n) };
const route = { provider: 'a', model: 'x' };
const prices = (all: Readonly<Record<string, bigint>>) =>
  new Map(Object.entries(all).map(([name, value]) => [name, micro(value)]));

const of = (all: Readonly<Record<string, bigint>>) =>
  Object.fromEntries(prices(all)) as unknown as TokenPrices;

describe('the cost of a text at its route', () => {
  const usage = { promptTokens: 1_000, completionTokens: 100 };

  it('is what the vendor says, whatever its counts are', () => {
    expect(textCost(RATES, route, { ...usage, cost: micro(17n) })).toEqual({ cost: 17n, isReported: true });
    expect(textCost(RATES, route, { ...usage, cost: micro(0n) })).toEqual({ cost: 0n, isReported: true });
  });

  it('is its counts at the rates of the model, or at the prices of the route', () => {
    expect(textCost(RATES, route, usage)).toEqual({ cost: 4_500n, isReported: false });
    const own = of({ input: 1_000_000n, output: 2_000_000n });
    expect(textCost(RATES, { ...route, prices: own }, usage)).toEqual({ cost: 1_200n, isReported: false });
  });

  it('counts tokens of the cache at their own price, where the route has one', () => {
    const cached = { ...usage, cacheReadTokens: 600, cacheWriteTokens: 300 };
    expect(textCost(RATES, route, cached).cost).toBe(4_500n);
    const own = of({
      input: 3_000_000n,
      output: 15_000_000n,
      cacheRead: 300_000n,
      cacheWrite: 3_750_000n,
    });
    expect(textCost(RATES, { ...route, prices: own }, cached).cost).toBe(3_105n);
  });

  it('is never below 0 for a vendor that counts more cached tokens than tokens', () => {
    const mad = { promptTokens: 10, completionTokens: 0, cacheReadTokens: 1_000 };
    const own = of({ input: 3_000_000n, output: 0n, cacheRead: 0n });
    expect(textCost(RATES, { ...route, prices: own }, mad).cost).toBe(0n);
  });

  it('is bounded for a vendor that counts without bounds', () => {
    const mad = { promptTokens: 2 ** 53 - 1, completionTokens: 2 ** 53 - 1, cacheReadTokens: 2 ** 53 - 1 };
    expect(textCost(RATES, route, mad).cost).toBe(18_000_000_000n);
  });

  it('rounds a fraction of a micro up', () => {
    expect(textCost(RATES, route, { promptTokens: 0, completionTokens: 0 }).cost).toBe(0n);
    const own = of({ input: 1n, output: 1n });
    expect(textCost(RATES, { ...route, prices: own }, { promptTokens: 1, completionTokens: 0 }).cost).toBe(
      1n,
    );
  });
});

describe('the check of a prompt', () => {
  it('asks only the vendors that fulfil the optional inputs of the call', () => {
    const priced = {
      modelId: 'a',
      mode: 't2i',
      input: '',
      list: micro(50_000n),
      floor: micro(0n),
      live: false,
    };
    const byTokens = { ...route, prices: of({ input: 5_000_000n, output: 0n }), takes: ['seed' as const] };
    const model = { id: 'a', routes: [byTokens, { ...route, takes: [] }] };
    const refusalOf = (call: object) => {
      const { refusalAt } = withRefusal(
        priced as never,
        model,
        { audio: false },
        { prompt: 'x'.repeat(20_000), ...call },
      );
      return refusalAt!(micro(50_000n));
    };
    expect(refusalOf({})).toBe(undefined);
    expect(refusalOf({ seed: 1 })).toMatchObject({ code: 'INVALID_REQUEST' });
  });
});

describe('the cost of a medium at its route', () => {
  const film = { seconds: 4, resolution: '1080p', audio: false };

  it('is the expected one without prices of the route', () => {
    expect(mediaCost(route, film, micro(400_000n))).toBe(400_000n);
    expect(mediaCost(route, film, undefined)).toBe(undefined);
  });

  it('is that of its tier and its seconds, at the prices of the route', () => {
    const costs = prices({ default: 20_000n, '1080p': 50_000n });
    expect(mediaCost({ ...route, costs }, film, micro(1n))).toBe(200_000n);
    expect(mediaCost({ ...route, costs }, { ...film, resolution: '720p' }, micro(1n))).toBe(80_000n);
  });
});
