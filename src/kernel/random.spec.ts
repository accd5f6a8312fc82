import { randomBytes } from './random';

describe('random bytes', () => {
  it('are never given out twice, and stay what they were', () => {
    const given = Array.from({ length: 2_000 }, () => randomBytes(16));
    const texts = given.map((bytes) => bytes.toString('hex'));

    randomBytes(20_000); // This is more than a block contains.

    expect(new Set(texts).size).toBe(given.length);
    expect(given.map((bytes) => bytes.toString('hex'))).toEqual(texts);
  });

  it('are as many as are asked for', () => {
    expect([0, 1, 12, 8_192, 20_000].map((count) => randomBytes(count).length)).toEqual([
      0, 1, 12, 8_192, 20_000,
    ]);
  });
});
