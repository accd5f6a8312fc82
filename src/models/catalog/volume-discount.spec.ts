import fc from 'fast-check';

import { micro } from '#kernel/money';
import { discounted, tierPercent } from './volume-discount';

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
