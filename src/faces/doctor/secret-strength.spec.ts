import { createHash } from 'node:crypto';

import { weaknessOf } from './secret-strength';

/** The text is the same in each run, because one in thousands of truly random texts contains a word. */
const asRandom = (bytes: number, turn: number): Buffer =>
  createHash('shake256', { outputLength: bytes }).update(`secret ${turn}`).digest();

describe('a secret', () => {
  it.each([16, 32, 48])('of %i random bytes is strong, in hex and in base64', (bytes) => {
    for (let turn = 0; turn < 500; turn += 1) {
      const secret = asRandom(bytes, turn);
      for (const encoding of ['hex', 'base64url'] as const) {
        const text = secret.toString(encoding);
        expect([text, weaknessOf(text)]).toEqual([text, undefined]);
      }
    }
  });

  it.each([
    'a'.repeat(40),
    'abababababababababababababababab',
    'my-secret-0x83nfa93nvbq0vnwq84',
    '0123456789abcdef',
  ])('like %s is weak', (secret) => {
    expect(weaknessOf(secret)).toBeDefined();
  });
});
