import type { TokenPrices } from '#models/providers/token-prices';
import { risesText } from './model-facts';

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
