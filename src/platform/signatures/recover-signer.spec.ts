import { hashMessage } from 'viem';
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts';

import { recoverSigner } from './recover-signer';
import { textDigest } from './text-digest';

const ORDER = 0xfffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141n;
const account = privateKeyToAccount(generatePrivateKey());
const digest = textDigest('hello');

describe('what a wallet signs for a text', () => {
  it.each(['', 'hello', 'Grüße 🏮', 'x'.repeat(1_000)])('is what wallets make of %j', (text) => {
    expect(`0x${textDigest(text).toString('hex')}`).toBe(hashMessage(text));
  });
});

describe('who signed', () => {
  let signature: string;

  beforeAll(async () => {
    signature = await account.signMessage({ message: 'hello' });
  });

  it('is found, in the form of chains and in that of bare libraries', () => {
    const bare = `${signature.slice(0, -2)}0${signature.endsWith('1b') ? '0' : '1'}`;

    expect(recoverSigner(digest, signature)).toBe(account.address.toLowerCase());
    expect(recoverSigner(digest, bare)).toBe(account.address.toLowerCase());
  });

  it('is nobody when the signature is the high twin of a good one', () => {
    const s = ORDER - BigInt(`0x${signature.slice(66, 130)}`);
    const v = signature.endsWith('1b') ? '1c' : '1b';

    expect(
      recoverSigner(digest, `${signature.slice(0, 66)}${s.toString(16).padStart(64, '0')}${v}`),
    ).toBeUndefined();
  });

  it.each([
    ['too short', (s: string) => s.slice(0, -2)],
    ['too long', (s: string) => `${s}00`],
    ['no hex', (s: string) => s.replace(/.$/, 'z')],
    ['zero', () => `0x${'0'.repeat(128)}1b`],
    ['of another recovery id', (s: string) => `${s.slice(0, -2)}1f`],
  ])('is nobody when the signature is %s', (_, change) => {
    expect(recoverSigner(digest, change(signature))).toBeUndefined();
  });
});
