import { checksummed, parseWallet } from './wallet-address';

const CHECKSUMMED = '0x3C44CdDdB6a900fa2b585dd299e03d12FA4293BC';
const LOWER = '0x3c44cdddb6a900fa2b585dd299e03d12fa4293bc';

describe("a wallet's address", () => {
  it('is one wallet in whatever case it is written', () => {
    expect([parseWallet(CHECKSUMMED), parseWallet(`0x${LOWER.slice(2).toUpperCase()}`)]).toEqual([
      LOWER,
      LOWER,
    ]);
  });

  it('is shown in checksum form', () => {
    expect(checksummed(parseWallet(LOWER)!)).toBe(CHECKSUMMED);
  });

  it.each([
    ['nothing', ''],
    ['39 digits', LOWER.slice(0, -1)],
    ['41 digits', `${LOWER}0`],
    ['a capital X', LOWER.replace('0x', '0X')],
    ['no 0x', LOWER.slice(2)],
    ['words before it', `to ${LOWER}`],
    ['a line feed at its end', `${LOWER}\n`],
    ['a letter beyond f', `${LOWER.slice(0, -1)}g`],
  ])('is not %s', (_, text) => {
    expect(parseWallet(text)).toBeUndefined();
  });
});
