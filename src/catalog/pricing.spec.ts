import fc from 'fast-check';

import { micro } from '../kernel/money';
import { readSettings } from '../settings';
import {
  CHAT_CHARS_MAX,
  CHAT_TOKENS_MAX,
  chatPrice,
  codePoints,
  dearestChat,
  discounted,
  estimatedTokens,
  mediaPrice,
  priceRanges,
  tierPercent,
} from './pricing';

const RULES = readSettings({}).price;
const rates = (input: bigint, output: bigint) => ({ input: micro(input), output: micro(output) });

const FLASH = rates(220_000n, 430_000n);
const ULTRA = rates(4_620_000n, 23_080_000n);

describe('characters', () => {
  it.each([
    ['', 0],
    ['abc', 3],
    ['é', 1],
    ['🦊', 1],
    ['👩‍👩‍👧', 5],
    ['a🦊b', 3],
    ['\ue000\uffff', 2],
    ['\u{10000}', 1],
    ['\u{10ffff}', 1],
    ['日本語', 3],
  ])('of %j are code points', (text, count) => {
    expect(codePoints(text)).toBe(count);
  });

  it('are counted as the language itself walks over them', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary', maxLength: 300 }), (text) => {
        expect(codePoints(text)).toBe([...text].length);
      }),
    );
  });

  it.each([
    [0, 0n],
    [1, 1n],
    [3, 1n],
    [4, 2n],
    [7, 2n],
    [8, 3n],
    [48_000, 13_715n],
  ])('make a token for each three and a half: %i', (chars, tokens) => {
    expect(estimatedTokens(chars)).toBe(tokens);
  });
});

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
});

describe('what is published of the prices', () => {
  it('is the least and the most that a call of each kind costs', () => {
    expect(priceRanges(RULES)).toEqual({
      chat: { min: '0.002000', max: '0.841144' },
      media: { min: '0.004546', max: '83.076924' },
    });
  });

  it('leaves the dearest chat call uncapped, so that a start can tell whether the cap trims too much', () => {
    expect(dearestChat(RULES, FLASH)).toBe(21_800n);
    expect(dearestChat(RULES, ULTRA)).toBe(841_449n);
  });
});

describe('the list price of a media call', () => {
  it.each([
    [1n, 4_546n],
    [2_954n, 4_546n],
    [2_955n, 4_547n],
    [13n, 4_546n],
    [13_000n, 20_000n],
    [13_001n, 20_002n],
    [20_000n, 30_770n],
    [54_000_000n, 83_076_924n],
  ])('of a cost of %s is %s', (cost, price) => {
    expect(mediaPrice(RULES, micro(cost))).toBe(price);
  });

  it('does not exist beyond the cap', () => {
    expect(mediaPrice(RULES, micro(54_000_001n))).toBeUndefined();
  });

  it('leaves the markup to us, and not a micro more', () => {
    fc.assert(
      fc.property(fc.bigInt({ min: 3_000n, max: 54_000_000n }), (cost) => {
        const surplus = (mediaPrice(RULES, micro(cost)) ?? 0n) * 13n - cost * 20n;
        expect(surplus >= 0n && surplus < 13n).toBe(true);
      }),
    );
  });
});

describe('a discount', () => {
  it.each([
    [0n, 0],
    [99_990_000n, 0],
    [99_999_999n, 0],
    [100_000_000n, 5],
    [499_999_999n, 5],
    [500_000_000n, 10],
    [1_999_999_999n, 10],
    [2_000_000_000n, 15],
    [1_000_000_000_000n, 15],
  ])('of a wallet that paid in %s micros is %i %', (paidIn, percent) => {
    expect(tierPercent(micro(paidIn))).toBe(percent);
  });

  it.each([
    [30_770n, 5, 29_232n],
    [30_770n, 10, 27_693n],
    [30_770n, 15, 26_155n],
    [30_770n, 0, 30_770n],
    [4_700n, 5, 4_546n],
    [4_546n, 15, 4_546n],
    [83_076_924n, 15, 70_615_386n],
    [4_000n, 0, 4_000n],
  ])('of %s with %i % leaves %s', (list, percent, price) => {
    expect(discounted(micro(list), percent, micro(4_546n))).toBe(price);
  });

  it('is worth its percent, rounded our way, and never below the floor', () => {
    const list = fc.bigInt({ min: 2_000n, max: 83_076_924n });
    fc.assert(
      fc.property(list, fc.constantFrom(5, 10, 15), (before, percent) => {
        const after = discounted(micro(before), percent, micro(2_000n));
        expect(after).toBeGreaterThanOrEqual(2_000n);
        expect(after).toBeLessThanOrEqual(before);
        if (after > 2_000n) {
          const surplus = after * 100n - before * BigInt(100 - percent);
          expect(surplus >= 0n && surplus < 100n).toBe(true);
        }
      }),
    );
  });
});
