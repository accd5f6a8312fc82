import { ago, bytes, cents, decimalsOf, microOf, money } from '../../clients/console/parts/format';

describe('what pages write', () => {
  it.each([
    [0, '$0.00'],
    [1, '$0.000001'],
    [30_770, '$0.03077'],
    [1_500_000, '$1.50'],
    [10_000_000, '$10.00'],
    [1_234_567_890, '$1,234.56789'],
    [-7, '−$0.000007'],
  ])('is every digit of %s micro-USD, and no more zeros than cents need: %s', (micro, text) => {
    expect(money(micro)).toBe(text);
  });

  it('has one form in a column, and every digit', () => {
    const column = [100_000, 4_616, 1_500_000];

    expect(column.map((micro) => money(micro, decimalsOf(column)))).toEqual([
      '$0.100000',
      '$0.004616',
      '$1.500000',
    ]);
    expect(decimalsOf([1_500_000])).toBe(2);
  });

  it.each([
    [9_999_999, '$9.99'],
    [9_999, '$0.00'],
  ])('is never more in passing than there is: %s is %s', (micro, text) => {
    expect(cents(micro)).toBe(text);
  });

  it.each([
    ['25', 25_000_000],
    ['$0.5', 500_000],
    [' 0.000001 ', 1],
    ['0.0000001', undefined],
    ['1,000', undefined],
    ['-1', undefined],
    ['1e3', undefined],
    ['', undefined],
  ])('comes from what people type: %j is %s', (typed, micro) => {
    expect(microOf(typed)).toBe(micro);
  });

  it.each([
    [0, 'just now'],
    [59, 'just now'],
    [120, '2 minutes ago'],
    [90_000, 'yesterday'],
    [864_000, '10 days ago'],
  ])('says how long ago it was: %s seconds is %s', (seconds, text) => {
    const now = Date.parse('2026-01-31T12:00:00Z');

    expect(ago(new Date(now - seconds * 1_000).toISOString(), now)).toBe(text);
  });

  it.each([
    [1, '1 KB'],
    [8_388_608, '8.0 MB'],
  ])('says how large a file is: %s is %s', (size, text) => {
    expect(bytes(size)).toBe(text);
  });
});
