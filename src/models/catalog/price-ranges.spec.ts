import { readSettings } from '../../settings';
import { priceRanges } from './price-ranges';

describe('what is published of the prices', () => {
  it('is the least and the most that a call of each kind costs', () => {
    expect(priceRanges(readSettings({}).price)).toEqual({
      chat: { min: '0.002000', max: '0.841144' },
      media: { min: '0.004546', max: '83.076924' },
    });
  });
});
