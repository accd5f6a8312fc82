import fc from 'fast-check';

import { charsOf, codePoints, estimatedTokens, tokensMaxOf } from './token-estimate';

describe('characters', () => {
  it.each([
    ['', 0],
    ['abc', 3],
    ['é', 1],
    ['🦊', 1],
    ['👩‍👩‍👧', 5],
    ['a🦊b', 3],
    ['\ue000\uffff', 2],
    ['\u{10000}', 1],
    ['\u{10ffff}', 1],
    ['日本語', 3],
  ])('of %j are code points', (text, count) => {
    expect(codePoints(text)).toBe(count);
  });

  it('are counted as the language itself walks over them', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary', maxLength: 300 }), (text) => {
        expect(codePoints(text)).toBe([...text].length);
      }),
    );
  });

  it.each([
    [0, 0n],
    [1, 1n],
    [3, 1n],
    [4, 2n],
    [7, 2n],
    [8, 3n],
    [48_000, 13_715n],
  ])('make a token for each three and a half: %i', (chars, tokens) => {
    expect(estimatedTokens(chars)).toBe(tokens);
  });

  it('are counted over all messages of a call, as people count them', () => {
    expect(charsOf([{ content: 'abc' }, { content: '🦊' }, { content: '' }])).toBe(4);
    expect(charsOf([])).toBe(0);
  });

  it('are at most a token for each byte, and eight more for each message', () => {
    expect(tokensMaxOf([{ content: 'a🦊' }, { content: '' }])).toBe(21);
    expect(tokensMaxOf([])).toBe(0);
  });
});
