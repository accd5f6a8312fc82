import { readSettings } from '../../settings';
import type { TextModel } from './catalog-models';
import { priceRanges } from './price-ranges';

describe('what is published of the prices', () => {
  it('is the least and the most that a call of each kind costs', () => {
    expect(priceRanges(readSettings({}).price)).toEqual({
      chat: { min: '0.002000', max: '0.841144' },
      media: { min: '0.004546', max: '83.076924' },
    });
  });

  it('is more for chat if a model of a list can cost more than the cap', () => {
    const rates = { input: 20_000_000n, output: 40_000_000n, markup: { times: 5n, over: 4n } };
    const ranges = (isListed: boolean) =>
      priceRanges(readSettings({}).price, [{ isListed, rates } as unknown as TextModel]).chat.max;
    expect([ranges(false), ranges(true)]).toEqual(['0.841144', '2.006600']);
  });
});
