import { nearestOf, similarTo } from './nearest';

describe('what comes nearest', () => {
  it.each([
    ['720', ['480p', '720p', '1080p'], '720p'],
    ['2k', ['1K', '2K'], '2K'],
    ['4:3', ['16:9', '9:16', '1:1'], '1:1'],
    ['21:9', ['1:1', '16:9'], '16:9'],
    ['1920x1080', ['1024x1024', '1792x1024'], '1792x1024'],
    ['hihg', ['low', 'medium', 'high'], 'high'],
    ['anything', [], undefined],
  ])('to %s among %j is %s', (wish, offers, nearest) => {
    expect(nearestOf(wish, offers)).toBe(nearest);
  });

  it('is not meant when most of it is different', () => {
    const models = ['ember-image', 'lumen-flash'];

    expect(similarTo('ember-imge', models)).toBe('ember-image');
    expect(similarTo('gpt-4o', models)).toBeUndefined();
  });

  it('is found quickly, however long the wish is', () => {
    expect(nearestOf('x'.repeat(1_000_000), ['low'])).toBe('low');
    expect(similarTo('x'.repeat(100), ['low'])).toBeUndefined();
  });
});
