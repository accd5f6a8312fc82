import { nearestOf, similarTo, slipOf } from './nearest';

describe('what comes nearest', () => {
  it.each([
    ['720', ['480p', '720p', '1080p'], '720p'],
    ['2k', ['1K', '2K'], '2K'],
    ['4:3', ['16:9', '9:16', '1:1'], '1:1'],
    ['21:9', ['1:1', '16:9'], '16:9'],
    ['1920x1080', ['1024x1024', '1792x1024'], '1792x1024'],
    ['hihg', ['low', 'medium', 'high'], 'high'],
    ['anything', [], undefined],
    // Only a whole word counts as a shape. For other words, and if no offer is a shape, the spelling decides.
    ['ratio16:9', ['ratio', '16:9'], 'ratio'],
    ['16:9ratio', ['ratio', '16:9'], 'ratio'],
    ['169', ['1:1', '16:9'], '16:9'],
    ['16:9', ['square', '16x9w'], '16x9w'],
    ['16:0', ['4:3', '16:10'], '16:10'],
    ['0:9', ['1:1', '10:9'], '10:9'],
  ])('to %s among %j is %s', (word, offers, nearest) => {
    expect(nearestOf(word, offers)).toBe(nearest);
  });

  it('is not meant when most of it is different', () => {
    const models = ['ember-image', 'lumen-flash'];

    expect(similarTo('ember-imge', models)).toBe('ember-image');
    expect(similarTo('gpt-4o', models)).toBeUndefined();
  });

  it.each([
    ['abcd', 'abcdef', true], // Two of four letters may differ.
    ['abc', 'abcdef', false],
    ['abcd', 'xyzabcd', false],
    ['a', 'xxxa', false],
    ['axx', 'a', false],
  ])('of %s and %s: %s', (word, offer, isMeant) => {
    expect(similarTo(word, [offer]) === offer).toBe(isMeant);
  });

  it.each([
    ['abcde', 'abcdx', true], // One of five letters may differ.
    ['abcd', 'abcx', false],
    ['abcdefghi', 'abcdefgxy', false],
    ['abcdefghij', 'abcdefghxy', true],
    ['abcdefghijklmno', 'abcdefghijklxyz', false],
  ])('by a slip of the pen to %s of %s: %s', (word, offer, isSlip) => {
    expect(slipOf(word, [offer]) === offer).toBe(isSlip);
  });

  it('is nothing where nothing is offered', () => {
    expect(similarTo('ember', [])).toBeUndefined();
  });

  it('is found quickly, however long the word is', () => {
    expect(nearestOf('x'.repeat(1_000_000), ['low'])).toBe('low');
    expect(similarTo('x'.repeat(100), ['low'])).toBeUndefined();
  });
});
