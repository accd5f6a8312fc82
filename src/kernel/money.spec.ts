import fc from 'fast-check';

import { ceilDiv, larger, micro, microFromText, microToJson, parseUsd, smaller, usdText } from './money';

const amount = fc.bigInt({ min: 0n, max: 999_999_999_999_999n });

describe('money', () => {
  it('may be nothing, and is never less', () => {
    expect(micro(0n)).toBe(0n);
    expect(() => micro(-1n)).toThrow(RangeError);
    expect(() => microFromText('-1')).toThrow(RangeError);
  });

  it('is read from the text that a database answers', () => {
    expect(microFromText('9007199254740993')).toBe(9_007_199_254_740_993n);
    expect(() => microFromText('1.5')).toThrow(SyntaxError);
  });

  it('becomes a JSON number only as long as that says it exactly', () => {
    expect(microToJson(micro(0n))).toBe(0);
    expect(microToJson(micro(9_007_199_254_740_991n))).toBe(9_007_199_254_740_991);
    expect(() => microToJson(micro(9_007_199_254_740_992n))).toThrow(RangeError);
  });

  it('is divided so that a fraction is charged', () => {
    expect([ceilDiv(0n, 3n), ceilDiv(1n, 3n), ceilDiv(3n, 3n), ceilDiv(4n, 3n)]).toEqual([0n, 1n, 1n, 2n]);
    fc.assert(
      fc.property(amount, fc.bigInt({ min: 1n, max: 10n ** 9n }), (dividend, divisor) => {
        const surplus = ceilDiv(dividend, divisor) * divisor - dividend;
        expect(surplus >= 0n && surplus < divisor).toBe(true);
      }),
    );
  });

  it.each([
    [1n, 2n],
    [2n, 1n],
    [2n, 2n],
  ])('of %s and %s has a larger and a smaller', (a, b) => {
    expect(larger(micro(a), micro(b))).toBe(a === b ? a : 2n);
    expect(smaller(micro(a), micro(b))).toBe(a === b ? a : 1n);
  });
});

describe('decimal USD', () => {
  it.each([
    ['0', 0n],
    ['0.22', 220_000n],
    ['12', 12_000_000n],
    ['12.000001', 12_000_001n],
    ['999999999.999999', 999_999_999_999_999n],
    ['007.5', 7_500_000n],
  ])('%s is read exactly', (text, value) => {
    expect(parseUsd(text)).toBe(value);
  });

  it.each([
    '',
    '.5',
    '5.',
    '-1',
    '+1',
    '1e2',
    '1,5',
    ' 1',
    '1 ',
    '1\n',
    'x1',
    '1x',
    '1.1234567',
    '1234567890',
    '1.2.3',
    '٣',
    '1.x',
  ])('%j is none', (text) => {
    expect(parseUsd(text)).toBeUndefined();
  });

  it.each([
    [0n, '0.000000'],
    [1n, '0.000001'],
    [4_546n, '0.004546'],
    [999_999n, '0.999999'],
    [1_000_000n, '1.000000'],
    [83_076_924n, '83.076924'],
  ])('%s is written with six places', (value, text) => {
    expect(usdText(micro(value))).toBe(text);
  });

  it('comes back as it went', () => {
    fc.assert(fc.property(amount, (value) => expect(parseUsd(usdText(micro(value)))).toBe(value)));
  });
});
