import { micro, parseUsd } from '#kernel/money';
import { weiMaxOf } from './settlement-fee';

const GWEI = 10n ** 9n;

describe('what a settlement may cost', () => {
  const rules = { nativeUsd: parseUsd('2500'), feeFloor: micro(5_000n) };

  it.each([
    ['the floor', 2_000n, 2_000n * GWEI],
    ['the floor, up to ten times it', 50_000n, 2_000n * GWEI],
    ['a tenth', 1_000_000n, 40_000n * GWEI],
  ])('is %s for %s micro-USD', (_, amount, wei) => {
    expect(weiMaxOf(micro(amount), rules)).toBe(wei);
  });

  it('is not bounded where nobody has said what the coin is worth', () => {
    expect(weiMaxOf(micro(2_000n), { ...rules, nativeUsd: undefined })).toBeUndefined();
  });
});
