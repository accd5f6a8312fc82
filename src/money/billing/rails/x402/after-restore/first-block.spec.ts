import { firstBlockSince } from './first-block';

/** Blocks of a chain by their times. Some neighbours have the same time. */
const TIMES = [100n, 102n, 104n, 104n, 110n, 112n, 200n];

describe('the first block since a moment', () => {
  it.each([
    [0n, 0n],
    [100n, 0n],
    [101n, 1n],
    [104n, 2n],
    [105n, 4n],
    [113n, 6n],
    [200n, 6n],
    [201n, undefined],
  ])('since %i is block %i', async (since, expected) => {
    const first = await firstBlockSince(since, 6n, (block) => Promise.resolve(TIMES[Number(block)]!));

    expect(first).toBe(expected);
  });
});
