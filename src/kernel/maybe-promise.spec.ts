import { whenReady } from './maybe-promise';

describe('what is mostly at hand', () => {
  it('is gone on with at once where it is', () => {
    expect(whenReady(2, (two) => two * 2)).toBe(4);
  });

  it('is waited for where it is not', async () => {
    await expect(whenReady(Promise.resolve(2), (two) => two * 2)).resolves.toBe(4);
  });
});
