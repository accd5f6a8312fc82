import { plainDecimals } from './plain-decimals';

describe('plain decimals', () => {
  it.each([
    ['10.10/20.20', '10.1/20.2'],
    ['30.0/02', '30/2'],
    ['3.00,6.50@200000', '3,6.5@200000'],
    ['100/0.05', '100/0.05'],
    ['0.00', '0'],
    ['1.2.0', '1.2.0'],
    ['1..0', '1..0'],
  ])('of %s are %s', (text, plain) => {
    expect(plainDecimals(text)).toBe(plain);
  });
});
