import fc from 'fast-check';

import { tokensPrice } from '#models/catalog/chat-price-calculator';
import { micro } from '#kernel/money';
import type { ConversationPiece, TextUsage } from '#models/providers/text-provider';
import { Meter } from './meter';

const RATES = { input: micro(3_000_000n), output: micro(15_000_000n) };
const WORST = { price: micro(1_000_000_000n), input: 40 };
const TEXT = 'all work and no play makes a dull lamp';
const WORDS: ConversationPiece = { delta: { content: TEXT } };
/** The estimate for one piece: 38 letters and spaces, at 3.5 a token. */
const TOKENS = 11;

const counts = (promptTokens: number, completionTokens: number): ConversationPiece => ({
  usage: { promptTokens, completionTokens },
});

const metered = (...pieces: readonly ConversationPiece[]): Meter => {
  const meter = new Meter(RATES, WORST);
  for (const piece of pieces) meter.take(piece);
  return meter;
};

const usageOf = (...pieces: readonly ConversationPiece[]): readonly number[] => {
  const { prompt_tokens, completion_tokens } = metered(...pieces).usage;
  return [prompt_tokens, completion_tokens];
};

describe('the meter of a conversation', () => {
  it.each<[string, readonly ConversationPiece[], readonly number[]]>([
    ['the counts of a vendor', [WORDS, counts(10, 8)], [10, 8]],
    ['the last of several counts', [counts(10, 0), WORDS, counts(10, 5), WORDS, counts(10, 9)], [10, 9]],
    ['an estimate without counts', [WORDS, WORDS], [WORST.input, 2 * TOKENS]],
    ['an estimate after the last count', [WORDS, counts(10, 8), WORDS], [10, 8 + TOKENS]],
    ['the estimate if a vendor counts nothing written', [WORDS, counts(10, 0)], [10, TOKENS]],
    ['the estimate if a vendor counts nothing read', [WORDS, counts(0, 8)], [WORST.input, 8]],
    [
      'the estimate if a vendor counts zero',
      [WORDS, counts(0, 0), WORDS, counts(0, 0)],
      [WORST.input, 2 * TOKENS],
    ],
    ['the higher count if counts shrink', [WORDS, counts(10, 8), WORDS, counts(9, 3)], [10, 8 + TOKENS]],
    [
      'the estimate of words during which a count stays the same',
      [WORDS, counts(10, 8), WORDS, counts(10, 8), WORDS, counts(10, 8)],
      [10, 8 + 2 * TOKENS],
    ],
    ['a count that is repeated without new words', [WORDS, counts(10, 8), counts(10, 8)], [10, 8]],
    [
      'a count that stays the same and then grows',
      [WORDS, counts(10, 8), WORDS, counts(10, 8), WORDS, counts(10, 24)],
      [10, 24],
    ],
    ['a count of zero before any word', [counts(10, 0), WORDS], [10, TOKENS]],
    [
      'a count of zero of an answer without words',
      [{ delta: {}, finishReason: 'length' }, counts(10, 0)],
      [10, 0],
    ],
  ])('charges %s', (_, pieces, expected) => {
    expect(usageOf(...pieces)).toEqual(expected);
  });

  it('reports no bill by counts that are not believed', () => {
    expect(metered(WORDS, counts(10, 8)).billed).toBe(
      tokensPrice(RATES, { promptTokens: 10, completionTokens: 8 }),
    );
    expect(metered(WORDS, counts(10, 0)).billed).toBeUndefined();
    expect(metered(counts(10, 0), WORDS).billed).toBeUndefined();
    expect(metered(WORDS, counts(10, 8), counts(10, 2)).billed).toBeUndefined();
    expect(metered(WORDS, counts(10, 8), WORDS, counts(10, 8)).billed).toBeUndefined();
    expect(metered(WORDS, { usage: { promptTokens: 0, completionTokens: 0, cost: micro(7n) } }).billed).toBe(
      7n,
    );
  });

  describe('with cached tokens', () => {
    const CACHED = { ...RATES, cacheRead: micro(300_000n), cacheWrite: micro(6_000_000n) };
    const priceOf = (rates: typeof RATES, usage: TextUsage): bigint => {
      const meter = new Meter(rates, WORST);
      meter.take(WORDS);
      meter.take({ usage });
      return meter.price;
    };
    const USAGE = {
      promptTokens: 1_000,
      completionTokens: 10,
      cacheReadTokens: 600,
      cacheWriteTokens: 300,
    };

    it('charges each of them at its own rate', () => {
      expect(priceOf(CACHED, USAGE)).toBe(100n * 3n + 180n + 1_800n + 150n);
    });

    it('charges them as other input if the model has no rates for them', () => {
      expect(priceOf(RATES, USAGE)).toBe(3_000n + 150n);
    });

    it.each([
      ['has a price for them', { cacheRead: micro(500_000n) }, 100n * 3n + 180n + 1_800n + 150n],
      ['has none, and bills them as other input', {}, 700n * 3n + 1_800n + 150n],
    ])('charges those that a vendor reads from its cache as it bills them: it %s', (_, cache, expected) => {
      const meter = new Meter({ ...CACHED, markup: { times: 1n, over: 1n } }, WORST);
      const prices = { input: micro(2_000_000n), output: micro(9_000_000n), ...cache };
      meter.isAt({ provider: 'x', model: 'm', prices });
      meter.take(WORDS);
      meter.take({ usage: USAGE });
      expect([meter.price, meter.billed]).toEqual([expected, expected]);
    });

    it('believes no more of them than the prompt has, and none of a prompt that it does not believe', () => {
      expect(priceOf(CACHED, { ...USAGE, cacheReadTokens: 5_000, cacheWriteTokens: 5_000 })).toBe(450n);
      expect(priceOf(CACHED, { ...USAGE, promptTokens: 0 })).toBe(BigInt(WORST.input) * 3n + 150n);
    });

    it('charges the rule to the micro, whatever a vendor counts', () => {
      const count = fc.oneof(fc.constant(0), fc.integer({ min: 0, max: 5_000 }), fc.constant(2 ** 40));
      fc.assert(
        fc.property(count, count, count, count, (prompt, read, written, completion) => {
          const usage = {
            promptTokens: prompt,
            completionTokens: completion,
            cacheReadTokens: read,
            cacheWriteTokens: written,
          };
          const of = prompt === 0 ? WORST.input : Math.min(prompt, 1_000_000_000);
          const fromCache = prompt === 0 ? 0 : Math.min(read, of);
          const intoCache = prompt === 0 ? 0 : Math.min(written, of - fromCache);
          const outputTokens = completion === 0 ? TOKENS : Math.min(completion, 1_000_000_000);
          const sum = 3 * (of - fromCache - intoCache) + 0.3 * fromCache + 6 * intoCache + 15 * outputTokens;
          const rule = Math.min(Number(WORST.price), Math.ceil(Number(sum.toFixed(3))));
          expect(priceOf(CACHED, usage)).toBe(BigInt(rule));
        }),
        { numRuns: 100_000 },
      );
    });
  });

  it('never gives words away, and never exceeds the hold, whatever a vendor counts', () => {
    const count = fc.oneof(
      fc.constant(0),
      fc.integer({ min: 0, max: 2_000 }),
      fc.constant(Number.MAX_SAFE_INTEGER),
    );
    const piece = fc.oneof(
      fc.constant(WORDS),
      fc.tuple(count, count).map(([prompt, completion]) => counts(prompt, completion)),
    );
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 12 }), (pieces) => {
        const meter = metered(...pieces);
        const { prompt_tokens, completion_tokens } = meter.usage;
        const reports = pieces.flatMap((one) => ('usage' in one ? [one.usage] : []));
        const highest = Math.max(0, ...reports.map(({ completionTokens }) => completionTokens));
        expect(prompt_tokens).toBeGreaterThan(0);
        if (pieces.includes(WORDS)) expect(completion_tokens).toBeGreaterThan(0);
        expect(completion_tokens).toBeGreaterThanOrEqual(Math.min(1_000_000_000, highest));
        expect(meter.price).toBeLessThanOrEqual(WORST.price);
      }),
      { numRuns: 2_000 },
    );
  });
});
