import fc from 'fast-check';

import { micro } from '../../kernel/money';
import type { ConversationPiece } from '../../providers/text-provider';
import { Meter } from './meter';
import { tokensPrice } from './worst-case';

const RATES = { input: micro(3_000_000n), output: micro(15_000_000n) };
const WORST = { price: micro(1_000_000_000n), inputMax: 1_000, input: 40, beginning: '' };
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
    expect(metered(WORDS, counts(10, 8)).billed).toBe(tokensPrice(RATES, 10, 8));
    expect(metered(WORDS, counts(10, 0)).billed).toBeUndefined();
    expect(metered(WORDS, counts(10, 8), counts(10, 2)).billed).toBeUndefined();
    expect(metered(WORDS, counts(10, 8), WORDS, counts(10, 8)).billed).toBeUndefined();
    expect(metered(WORDS, { usage: { promptTokens: 0, completionTokens: 0, cost: micro(7n) } }).billed).toBe(
      7n,
    );
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
