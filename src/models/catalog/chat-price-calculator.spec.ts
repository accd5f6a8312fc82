import fc from 'fast-check';

import { micro } from '#kernel/money';
import { readSettings } from '../../settings';
import { ChatPriceCalculator, chatPrice, highestChatPrice, tokensPrice } from './chat-price-calculator';
import { CHAT_CHARS_MAX, CHAT_TOKENS_MAX } from './chat-limits';
import { charsOf, tokensMaxOf } from './token-estimate';
import { ratioIn } from './prices.settings';
import { TIERS, discounted } from './volume-discount';

const settings = readSettings({ PRICE_CHAT_FLOOR_MICRO: '2100' });
const model = { id: 'lumen-flash', rates: { input: micro(220_000n), output: micro(430_000n) } };

const RULES = readSettings({}).price;
const rates = (input: bigint, output: bigint) => ({ input: micro(input), output: micro(output) });

const FLASH = rates(220_000n, 430_000n);
const ULTRA = rates(4_620_000n, 23_080_000n);

describe('the list price of a chat call', () => {
  it.each([
    ['never below the floor', FLASH, 0, 1, 2_000n],
    ['the floor, when the sum is a hair below it', FLASH, 700, 1_024, 2_000n],
    ['the estimated input and the whole output cap', FLASH, 7_001, 2_048, 4_403n],
    ['the largest call of the cheapest model', FLASH, 48_000, 8_192, 21_800n],
    ['a call of the dearest model', ULTRA, 700, 1_024, 81_860n],
    ['the cap, which trims the dearest call of all by 305 micros', ULTRA, 48_000, 8_192, 841_144n],
    ['one micro per fraction of a micro', rates(300_001n, 1n), 3_500_000, 1, 1_000_004n],
  ])('is %s', (_what, model, chars, maxTokens, price) => {
    const rules = chars > CHAT_CHARS_MAX ? { ...RULES, chatCap: micro(10_000_000n) } : RULES;

    expect(chatPrice(rules, model, chars, maxTokens)).toBe(price);
  });

  it('covers the marked-up cost, and by less than one micro and one token more', () => {
    const unbound = { ...RULES, chatFloor: micro(0n), chatCap: micro(10n ** 15n) };
    const rate = fc.bigInt({ min: 1n, max: 100_000_000n });
    fc.assert(
      fc.property(
        rate,
        rate,
        fc.nat(CHAT_CHARS_MAX),
        fc.nat(CHAT_TOKENS_MAX),
        (input, output, chars, tokens) => {
          // Both sides times 7 * 3,000,000, so that nothing is divided and nothing rounded.
          const price = chatPrice(unbound, rates(input, output), chars, tokens) * 21_000_000n;
          const cost = (BigInt(chars) * 2n * input + BigInt(tokens) * 7n * output) * 10n;
          expect(price).toBeGreaterThanOrEqual(cost);
          expect(price).toBeLessThan(cost + 21_000_000n + 7n * input * 10n);
        },
      ),
    );
  });

  it('never falls when more is asked for', () => {
    const rate = fc.bigInt({ min: 1n, max: 30_000_000n });
    fc.assert(
      fc.property(
        rate,
        rate,
        fc.nat(40_000),
        fc.nat(8_000),
        fc.nat(8_000),
        fc.nat(192),
        (i, o, chars, tokens, c, t) => {
          const model = rates(i, o);
          const more = chatPrice(RULES, model, chars + c, tokens + t);
          expect(more).toBeGreaterThanOrEqual(chatPrice(RULES, model, chars, tokens));
          expect(more).toBeGreaterThanOrEqual(2_000n);
          expect(more).toBeLessThanOrEqual(841_144n);
        },
      ),
    );
  });

  it('leaves the most expensive chat call uncapped, so that a start can check the cap', () => {
    expect(highestChatPrice(RULES, FLASH)).toBe(21_800n);
    expect(highestChatPrice(RULES, ULTRA)).toBe(841_449n);
  });
});

describe('a chat call', () => {
  it('costs its characters and the tokens that it may answer with', () => {
    expect(new ChatPriceCalculator(settings).price(model, 7_001, 2_048)).toEqual({
      modelId: 'lumen-flash',
      mode: 'chat',
      input: 'chat|7001|2048',
      list: 4_403n,
      floor: 2_100n,
      live: false,
    });
  });

  it('with a model of the book costs at least a token for each byte, which its quote seals', () => {
    const pricing = new ChatPriceCalculator(settings);
    const ofBook = {
      id: 'book',
      rates: { ...rates(5_000_000n, 25_000_000n), markup: { times: 5n, over: 4n } },
    };
    const messages = [{ content: '\u{12000}'.repeat(1_000) }];
    const { list, input } = pricing.price(ofBook, charsOf(messages), 1, tokensMaxOf(messages));
    expect([list, input]).toEqual([25_082n, 'chat|1000|1|4008']);
    expect(pricing.price(ofBook, 1_000, 1)).toMatchObject({ list: 25_032n });
    // The answer's price has the larger markup.
    expect(pricing.price(ofBook, 1, 1_000, 9).list).toBe(83_350n);
    expect(pricing.price(model, 1_000, 1, 4_008)).toEqual(pricing.price(model, 1_000, 1));
  });

  it.each(['1/1', '11/10', '5/4', '2/1', '1/2'])(
    'with a model of the book and the markup %s never costs less than its tokens through a discount',
    (text) => {
      const markup = ratioIn(text);
      const costs = rates(5_000_000n, 25_000_000n);
      const messages = [{ content: '\u{12000}'.repeat(1_000) }];
      const most = tokensMaxOf(messages);
      const ofBook = { id: 'book', rates: { ...costs, markup } };
      const { list, floor } = new ChatPriceCalculator(settings).price(ofBook, charsOf(messages), 1, most);
      const cost = tokensPrice(costs, { promptTokens: most, completionTokens: 1 });
      for (const { percent } of TIERS)
        expect(discounted(list, percent, floor)).toBeGreaterThanOrEqual(list < cost ? list : cost);
    },
  );

  it('that names no bound may answer with 1024 tokens', () => {
    const pricing = new ChatPriceCalculator(settings);

    expect(pricing.price(model, 7_001)).toEqual(pricing.price(model, 7_001, 1_024));
  });
});
