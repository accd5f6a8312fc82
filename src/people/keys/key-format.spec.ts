import { hashOfKey, isKey, derivedKey, newKey, prefixOfKey } from './key-format';

describe('a key', () => {
  it('is lp_ and 64 letters and digits, each one new', () => {
    const keys = Array.from({ length: 200 }, newKey);

    expect(new Set(keys).size).toBe(200);
    expect(keys.every((key) => /^lp_[A-Za-z0-9]{64}$/.test(key) && isKey(key))).toBe(true);
  });

  it('favours no letter', () => {
    const counts = new Map<string, number>();
    for (const letter of Array.from({ length: 1_000 }, () => newKey().slice(3)).join('')) {
      counts.set(letter, (counts.get(letter) ?? 0) + 1);
    }

    // 64000 letters, 62 of them, 1032 each on average; six standard deviations are some 190.
    expect(counts.size).toBe(62);
    expect([...counts.values()].every((count) => count > 840 && count < 1_230)).toBe(true);
  });

  it.each([
    ['nothing', ''],
    ['only the beginning', 'lp_'],
    ['63 characters', `lp_${'a'.repeat(63)}`],
    ['65 characters', `lp_${'a'.repeat(65)}`],
    ['another beginning', `LP_${'a'.repeat(64)}`],
    ['a space at the end', `lp_${'a'.repeat(64)} `],
    ['a line feed at the end', `lp_${'a'.repeat(64)}\n`],
    ['words before it', `key lp_${'a'.repeat(64)}`],
    ['a letter that only looks right', `lp_${'а'.repeat(64)}`],
    ['two keys', `lp_${'a'.repeat(64)}, lp_${'a'.repeat(64)}`],
  ])('is not %s', (_, text) => {
    expect(isKey(text)).toBe(false);
  });

  it('is known by its SHA-256 and shown by its beginning', () => {
    const key = `lp_${'a'.repeat(64)}`;

    expect(hashOfKey(key).toString('hex')).toBe(
      'db96bdfbb2d5762d086c9ee8bab1149acb987a260ea2c6e0380bd74b82b7d3e3',
    );
    expect(prefixOfKey(key)).toBe('lp_aaaaaaaa');
  });
});

describe('a key of a mark', () => {
  const secret = Buffer.alloc(32, 1);
  const key = derivedKey(secret, 'acc_1', 'mark');

  it('is the same again, for the same mark of the same owner', () => {
    expect(isKey(key)).toBe(true);
    expect(derivedKey(secret, 'acc_1', 'mark')).toBe(key);
    // The expected key is constant, because a caller who repeats a call after an upgrade must get the same key.
    expect(key).toBe('lp_WnEaS7CoULm2uCQTy9YnzDZfqpT6ldqfGIqgBcIklxq4im7h69tdnP30yyW8C4Fu');
  });

  it.each([
    ['owner', derivedKey(secret, 'acc_2', 'mark')],
    ['mark', derivedKey(secret, 'acc_1', 'other')],
    ['secret', derivedKey(Buffer.alloc(32, 2), 'acc_1', 'mark')],
    ['border between owner and mark', derivedKey(secret, 'acc_1\nma', 'rk')],
  ])('is another for another %s', (_, other) => {
    expect(other).not.toBe(key);
  });
});
