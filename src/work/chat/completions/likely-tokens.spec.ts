import { createHash } from 'node:crypto';

import { likelyTokens } from './likely-tokens';

/** Random bytes that are the same in each run. */
const BYTES = Buffer.concat(
  Array.from({ length: 500 }, (_, n) => createHash('sha256').update(String(n)).digest()),
);

/** The tokens of a character that the tokenizer o200k counts. */
describe('the likely tokens', () => {
  it.each([
    ['base64', BYTES.toString('base64'), 0.684],
    ['base64 of addresses', BYTES.toString('base64url'), 0.674],
    ['hexadecimal', BYTES.toString('hex'), 0.568],
    ['capital hexadecimal', BYTES.toString('hex').toUpperCase(), 0.575],
    ['base64 in JSON', JSON.stringify({ content: BYTES.toString('base64') }), 0.684],
    [
      'prose',
      'A call first holds the likely price of its input, and the rest is released at the end. '.repeat(50),
      0.22,
    ],
    ['paths', '/home/me/lamp/src/platform/http/answers/BrowserHeaders12.spec.ts\n'.repeat(100), 0.223],
  ])('of %s are close to what a tokenizer counts', (_, text, each) => {
    const ratio = likelyTokens(text) / (text.length * each);

    expect(ratio).toBeGreaterThan(0.8);
    expect(ratio).toBeLessThan(1.6);
  });

  it('of a long word are those of its letters', () => {
    expect(likelyTokens('a'.repeat(3_500))).toBe(1_000);
    expect(likelyTokens('')).toBe(0);
  });
});
