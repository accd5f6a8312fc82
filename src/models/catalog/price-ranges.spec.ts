import { readSettings } from '../../settings';
import type { MediaModel, TextModel } from './catalog-models';
import { priceRanges } from './price-ranges';

describe('what is published of the prices', () => {
  it('is the least and the most that a call of each kind costs', () => {
    expect(priceRanges(readSettings({}).price)).toEqual({
      chat: { min: '0.002000', max: '0.841144' },
      media: { min: '0.004546', max: '83.076924' },
    });
  });

  it('is more for chat if a model with a markup of its own can cost more than the cap, in a list or a file', () => {
    const rates = { input: 20_000_000n, output: 40_000_000n };
    const ranges = (model: object) =>
      priceRanges(readSettings({}).price, [{ rates, ...model } as unknown as TextModel]).chat.max;
    const own = { rates: { ...rates, markup: { times: 5n, over: 4n } } };
    expect([ranges({}), ranges(own), ranges({ ...own, isListed: true })]).toEqual([
      '0.841144',
      '2.006600',
      '2.006600',
    ]);
  });

  it('is more for media, too', () => {
    const model = { costs: new Map([['default', 30_000_000n]]), durations: [2, 4], capabilities: { n: 2 } };
    const most = (more: object) =>
      priceRanges(readSettings({}).price, [], [{ ...model, ...more } as unknown as MediaModel]).media.max;
    expect([most({}), most({ markup: { times: 5n, over: 4n } })]).toEqual(['83.076924', '300.000000']);
  });
});
