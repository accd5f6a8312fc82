import { quantileOf } from './durations';

/** The bucket of `seconds`, by the same rule as the SQL. */
const at = (seconds: number, count = 1) => ({
  bucket: Math.floor(Math.log(seconds) / Math.log(1.05)),
  count,
});

describe('how long calls take', () => {
  it('is nothing without calls', () => {
    expect(quantileOf([], 0.5)).toBeUndefined();
    expect(quantileOf([at(1, 0)], 0.5)).toBeUndefined();
  });

  it.each([0.02, 1.7, 45, 900])('is what one call took, to some hundredths: %s s', (seconds) => {
    expect(Math.abs(quantileOf([at(seconds)], 0.5)! / seconds - 1)).toBeLessThan(0.026);
  });

  it('is read off where that share of calls has ended', () => {
    const calls = [at(100, 4), at(1, 90), at(10, 6)];

    expect(quantileOf(calls, 0.5)).toBeCloseTo(1, 1);
    expect(quantileOf(calls, 0.95)).toBeCloseTo(10, 0);
    expect(quantileOf(calls, 0.99)! / 100).toBeCloseTo(1, 1);
  });
});
