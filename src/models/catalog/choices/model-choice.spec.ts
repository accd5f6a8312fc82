import { micro } from '#kernel/money';
import { tokensPrice } from '../chat-price-calculator';
import { type TextRates, markedPrices, pricesIn, uncoveredIn } from '../rates';
import { type Offering, together, withChoice } from './model-choice';

const COST = { input: '1', output: { base: '2', above: [{ tokens: 1_000, usd: '4' }] }, cacheWrite: '3' };
const RATES: TextRates = { ...pricesIn(COST), markup: { times: 5n, over: 4n } };
const MODEL = {
  rates: RATES,
  routes: ['a', 'b', 'c'].map((provider) => ({ provider, model: 'm' })),
};

describe("an operator's changes of a model", () => {
  it('are its markup, its flags and the order of its routes', () => {
    const changed = withChoice(MODEL, {
      markup: '3/2',
      adultsOnly: true,
      routes: [{ provider: 'c', model: 'm' }],
    });
    expect(changed).toMatchObject({ rates: { markup: { times: 3n, over: 2n } }, adultsOnly: true });
    expect(changed.routes.map(({ provider }) => provider)).toEqual(['c', 'a', 'b']);
    expect(withChoice(MODEL)).toEqual(MODEL);
  });

  it('are prices, which never sell below the cost at any kind and length, unless the operator wants it', () => {
    const rates = { input: '2', output: '3' };
    const { rates: changed } = withChoice(MODEL, { rates });
    const price = (promptTokens: number, more = {}) =>
      tokensPrice(changed, { promptTokens, completionTokens: 1_000, ...more });
    expect(price(1_000)).toBe(5_000n);
    // The step of the vendor costs 4.
    expect(price(1_001)).toBe(2_002n + 4_000n);
    // The cache costs 3, and has its default price.
    expect(price(1_000, { cacheWriteTokens: 1_000 })).toBe(6_750n);
    const { rates: cheap } = withChoice(MODEL, { rates: { input: '0.1', output: '0.1' }, belowCost: true });
    expect(tokensPrice(cheap, { promptTokens: 1_000, completionTokens: 1_000 })).toBe(200n);
  });

  it.each([false, true])(
    'keep the default price of each kind that they do not name; below cost: %s',
    (belowCost) => {
      const step = (base: string, usd: string) => ({ base, above: [{ tokens: 1_000, usd }] });
      const costs = {
        input: step('1', '2'),
        output: '4',
        cacheRead: step('0.1', '0.2'),
        cacheWrite: '1.25',
        cacheWrite1h: '2',
        inputImage: '3',
        inputAudio: '5',
        outputAudio: '9',
      };
      const model = { ...MODEL, rates: { ...pricesIn(costs), markup: { times: 5n, over: 4n } } };
      const same = { input: step('1.25', '2.5'), output: '5' };
      const usual = markedPrices(model.rates);
      expect(markedPrices(withChoice(model, { rates: same, belowCost }).rates)).toEqual(usual);
      const higher = markedPrices(withChoice(model, { rates: { ...same, cacheRead: '7' }, belowCost }).rates);
      expect(higher).toEqual({
        ...usual,
        cacheRead: 7_000_000n,
        above: [{ tokens: 1_000, prices: { ...usual.above![0]!.prices, cacheRead: 7_000_000n } }],
      });
      // A kind without a price at the vendor is other input.
      const flat = withChoice(MODEL, { rates: { input: '9', output: '9' }, belowCost }).rates;
      expect(flat).toEqual({
        ...pricesIn({ input: '9', output: '9', cacheWrite: '3.75' }),
        markup: { times: 1n, over: 1n },
      });
    },
  );

  it('never change the rates of an own model', () => {
    const own = { ...MODEL, rates: { input: micro(1n), output: micro(2n) } };
    expect(withChoice(own, { markup: '9/1', rates: { input: '5', output: '5' } }).rates).toEqual(own.rates);
  });
});

describe('a vendor that raises the price', () => {
  const offering = (provider: string, input: string, more = {}): Offering => {
    const prices = pricesIn({ input, output: '2' });
    return {
      rates: { ...prices, markup: { times: 5n, over: 4n } },
      routes: [{ provider, model: 'm', prices }],
      contextTokens: 9,
      ...more,
    };
  };
  const offers = [
    offering('cheap', '1'),
    offering('dear', '4'),
    offering('dearest', '8', { contextTokens: 5 }),
  ];
  const model = { ...together(offers as [Offering, ...Offering[]]), offers };
  const facts = (choice: Parameters<typeof withChoice>[1]) => {
    const { routes, rates, contextTokens } = withChoice(model, choice);
    return [routes.map(({ provider }) => provider).join(), markedPrices(rates).input, contextTokens];
  };
  const out = (...providers: string[]) => ({
    routes: providers.map((provider) => ({ provider, model: 'm', leftOut: true })),
  });
  const rates = (input: string) => ({ rates: { input, output: '9' } });

  it('is used, and the price covers its cost, until an operator leaves it out', () => {
    expect(facts({})).toEqual(['cheap,dear,dearest', 10_000_000n, 5]);
    expect(facts(out('dearest'))).toEqual(['cheap,dear', 5_000_000n, 9]);
    expect(facts(out('dear', 'dearest'))).toEqual(['cheap', 1_250_000n, 9]);
    const first = { routes: [{ provider: 'dear', model: 'm' }, ...out('cheap').routes] };
    expect(facts(first)).toEqual(['dear,dearest', 10_000_000n, 5]);
    expect(facts(out('cheap', 'dear', 'dearest'))[0]).toBe('');
  });

  it('never sells below its cost at an operator’s own price', () => {
    expect(facts(rates('2'))[1]).toBe(8_000_000n);
    expect(facts({ ...rates('2'), ...out('dearest') })[1]).toBe(4_000_000n);
    expect(facts({ ...rates('2'), ...out('dear', 'dearest') })[1]).toBe(2_000_000n);
    expect(facts({ ...rates('0.5'), belowCost: true })[1]).toBe(500_000n);
  });
});

describe('prices', () => {
  it.each([
    [{ input: '1', output: '4', cacheWrite: '3' }, true],
    [{ input: '3', output: '4' }, true],
    [{ input: '1', output: '4' }, true],
    [{ input: '1', output: '4', cacheWrite: '2.9' }, false],
    [{ input: '0.9', output: '4' }, false],
    [{ input: '3', output: '3.999999' }, false],
    [{ input: '3', output: { base: '2', above: [{ tokens: 1_001, usd: '4' }] } }, false],
    [{ input: '3', output: { base: '2', above: [{ tokens: 1_000, usd: '4' }] } }, true],
  ])('%j cover the costs: %s', (rates, expected) => {
    expect(uncoveredIn(pricesIn(COST), pricesIn(rates)).length === 0).toBe(expected);
  });
});
