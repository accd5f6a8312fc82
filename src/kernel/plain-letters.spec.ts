import { plainLetters } from './plain-letters';

describe('plain letters', () => {
  it('are the same for letters that look alike', () => {
    expect(plainLetters('Ｂöｍb ﬁre №')).toBe('bomb fire no');
  });

  it('are at most seven times as many as the characters of the text', () => {
    const longest = Array.from({ length: 0x11_0000 - 0x80 }, (_, at) => at + 0x80)
      .filter((point) => point < 0xd8_00 || point > 0xdf_ff)
      .map((point) => String.fromCodePoint(point))
      .map((character) => ({ character, times: plainLetters(character).length / character.length }))
      .reduce((most, one) => (one.times > most.times ? one : most));

    expect(longest.times).toBeLessThanOrEqual(7);
  });
});
