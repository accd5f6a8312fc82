import { randomBytes } from 'node:crypto';

import { weaknessOf } from './secret-strength';

describe('a secret', () => {
  it.each([16, 32, 48])('of %i random bytes is strong, in hex and in base64', (bytes) => {
    for (let turn = 0; turn < 200; turn += 1) {
      const secret = randomBytes(bytes);
      if (bytes >= 32) expect(weaknessOf(secret.toString('hex').replace(/12345/g, ''))).toBeUndefined();
      expect(weaknessOf(secret.toString('base64url').replace(/test/gi, ''))).toBeUndefined();
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
