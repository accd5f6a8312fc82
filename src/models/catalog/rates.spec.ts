import { micro } from '#kernel/money';
import { ChatPriceCalculator, chatPrice, tokensPrice } from './chat-price-calculator';
import { readSettings } from '../../settings';
import { type RateText, dearestAmong, dearestOf, pricesIn, rateProblems, shownRates } from './rates';

const STEPS: RateText = { base: '5', above: [{ tokens: 272_000, usd: '10' }] };
const LONG = pricesIn({
  input: STEPS,
  output: { base: '30', above: [{ tokens: 272_000, usd: '45' }] },
  cacheWrite1h: '10',
});
const MARKUP = { times: 5n, over: 4n };
const price = (promptTokens: number, more: object = {}) =>
  tokensPrice(LONG, { promptTokens, completionTokens: 0, ...more });

describe('rates with steps', () => {
  it('hold for all tokens of a call, by the whole input', () => {
    expect(price(272_000)).toBe(1_360_000n);
    expect(price(272_001)).toBe(2_720_010n);
    expect(price(272_001, { completionTokens: 100 })).toBe(2_724_510n);
    expect(price(300_000, { cacheReadTokens: 300_000 })).toBe(3_000_000n);
  });

  it('keep a rate that no step changes', () => {
    expect(LONG.above).toEqual([
      { tokens: 272_000, prices: { input: 10_000_000n, output: 45_000_000n, cacheWrite1h: 10_000_000n } },
    ]);
    expect(price(1_000, { cacheWriteTokens: 1_000, cacheWrite1hTokens: 400 })).toBe(600n * 5n + 400n * 10n);
  });

  it('reserve the dearest step and kind that the input can reach', () => {
    expect(dearestOf(LONG, 272_000)).toEqual({ input: 5_000_000n, output: 30_000_000n });
    expect(dearestOf(LONG, 272_000, true)).toEqual({ input: 10_000_000n, output: 30_000_000n });
    expect(dearestOf(LONG, 272_001)).toEqual({ input: 10_000_000n, output: 45_000_000n });
    expect(dearestOf({ ...LONG, markup: MARKUP }, 1).markup).toBe(MARKUP);
  });

  it('reserve the price of the cache if a vendor lists a higher one than for its input', () => {
    const odd = pricesIn({ input: '1', output: '2', cacheRead: '3' });
    const counted = { promptTokens: 1_000, completionTokens: 10, cacheReadTokens: 1_000 };
    expect(tokensPrice(dearestOf(odd, 1_000), counted)).toBeGreaterThanOrEqual(tokensPrice(odd, counted));
  });

  it('show callers the base, and what changes in a step', () => {
    expect(shownRates({ ...LONG, markup: MARKUP })).toEqual({
      inputUsdPerMtok: '6.25',
      outputUsdPerMtok: '37.50',
      cacheWrite1hUsdPerMtok: '12.50',
      above: [{ tokens: 272_000, inputUsdPerMtok: '12.50', outputUsdPerMtok: '56.25' }],
    });
    expect(shownRates({ input: micro(37n), output: micro(1n), markup: MARKUP })).toMatchObject({
      inputUsdPerMtok: '0.00004625',
      outputUsdPerMtok: '0.00000125',
    });
  });

  it('show a rate that falls again above a later step', () => {
    const input = {
      base: '1',
      above: [
        { tokens: 10, usd: '2' },
        { tokens: 20, usd: '1' },
      ],
    };
    expect(shownRates(pricesIn({ input, output: '3' })).above).toEqual([
      { tokens: 10, inputUsdPerMtok: '2.00' },
      { tokens: 20, inputUsdPerMtok: '1.00' },
    ]);
  });

  it.each(['1000000000.000000', 'x', ''])('are never 0 because %j is no price', (input) => {
    expect(() => pricesIn({ input, output: '1' })).toThrow(RangeError);
  });

  it('name the place of each mistake', () => {
    expect(rateProblems('x', '0')).toEqual(['x is 0; it must be decimal USD above 0']);
    expect(rateProblems('x', '0', true)).toEqual([]);
    const falling = {
      base: '1',
      above: [
        { tokens: 9, usd: '2' },
        { tokens: 9, usd: '-1' },
      ],
    };
    expect(rateProblems('x', falling)).toEqual([
      'x is -1; it must be decimal USD above 0',
      'x.above must rise from step to step',
    ]);
  });
});

describe('the kinds of tokens', () => {
  const SOUND = { ...pricesIn({ input: '0.3', output: '2.5', cacheRead: '0.03', inputAudio: '1' }) };

  it('charge sound at its rate, also if the vendor read it from its cache', () => {
    const counted = {
      promptTokens: 1_100,
      completionTokens: 0,
      inputAudioTokens: 1_000,
      cacheReadTokens: 900,
    };
    expect(tokensPrice(SOUND, counted)).toBe(1_003n);
    const { inputAudio: _, ...without } = SOUND;
    expect(tokensPrice(without, counted)).toBe(60n + 27n);
  });

  it('keep the price of the cache at several vendors, also if one has none', () => {
    const sellers = [
      { input: '5', output: '25', cacheRead: '0.5', cacheWrite: '6.25' },
      { input: '6', output: '20', cacheRead: '0.6' },
      { input: '7', output: '20' },
    ].map(pricesIn);
    expect(dearestAmong(sellers)).toEqual(
      pricesIn({ input: '7', output: '25', cacheRead: '0.6', cacheWrite: '7' }),
    );
  });
});

describe('the markup of the book', () => {
  const settings = readSettings({});
  const pricing = new ChatPriceCalculator(settings);
  const rates = { ...pricesIn({ input: '5', output: '25' }), markup: MARKUP };

  it('is the same for all payers whose calls are charged by usage, has no floor, and rounds up once', () => {
    const counted = { promptTokens: 1, completionTokens: 0 };
    expect(tokensPrice(rates, counted)).toBe(7n); // 6.25
    for (const isAccount of [true, false]) expect(pricing.ofTokens(rates, micro(7n), isAccount, 0)).toBe(7n);
  });

  it('is the most that a discount takes', () => {
    expect(pricing.ofTokens(rates, micro(1_250n), true, 10)).toBe(1_125n);
    expect(pricing.ofTokens(rates, micro(1_250n), true, 50)).toBe(1_000n);
    // An operator sells it below its cost. A discount makes nothing dearer.
    const cheap = { ...rates, markup: { times: 4n, over: 5n } };
    expect(pricing.ofTokens(cheap, micro(800n), true, 50)).toBe(800n);
  });

  it('has no cap at a fixed price, and keeps the floor', () => {
    const costly = { ...pricesIn({ input: '150', output: '600' }), markup: MARKUP };
    expect(chatPrice(settings.price, costly, 48_000, 8_192)).toBeGreaterThan(settings.price.chatCap);
    expect(chatPrice(settings.price, rates, 1, 1)).toBe(settings.price.chatFloor);
  });
});
