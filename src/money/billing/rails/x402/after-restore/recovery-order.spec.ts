import { orderOf } from './recovery-order';

const NOW = new Date('2026-11-22T21:00:00Z');

describe('what an operator asks to recover', () => {
  it.each([
    ['2026-11-22T20:19:16Z', '2026-11-22T20:19:16.000Z'],
    ['2026-11-22T20:19:16.5Z', '2026-11-22T20:19:16.500Z'],
    ['2026-11-22 20:19:16+00', '2026-11-22T20:19:16.000Z'],
    ['2026-11-22T21:19+01:00', '2026-11-22T20:19:00.000Z'],
    ['2026-11-22T15:49:16-0430', '2026-11-22T20:19:16.000Z'],
  ])('%s', (text, expected) => {
    const { since, credit } = orderOf(['--since', text], NOW);

    expect([since.toISOString(), credit]).toEqual([expected, false]);
  });

  it('credits only with --credit', () => {
    expect(orderOf(['--since', '2026-11-22T20:19:16Z', '--credit'], NOW).credit).toBe(true);
  });

  it('may mean single transactions', () => {
    const [one, other] = ['AB', 'cd'].map((byte) => `0x${byte.repeat(32)}`);
    const { only } = orderOf(['--since', '2026-11-22T20:19:16Z', '--only', one!, '--only', other!], NOW);

    expect(only).toEqual([one!.toLowerCase(), other]);
    expect(orderOf(['--since', '2026-11-22T20:19:16Z'], NOW).only).toEqual([]);
  });

  it.each([
    [['--since', '2026-11-22T20:19:16Z', '--only', '0x12'], 'is no transaction'],
    [['--since', '2026-11-22T20:19:16'], 'no time with a zone'],
    [['--since', '2026-13-22T20:19:16Z'], 'no time with a zone'],
    [['--since', 'yesterday'], 'no time with a zone'],
    [['--since', '2026-11-22T21:00:01Z'], 'in the future'],
    [['--credit'], 'Say since when'],
    [['--since'], 'Say since when'],
    [['--since', '2026-11-22T20:19:16Z', '--credits'], 'Say since when'],
    [['--since', '2026-11-22T20:19:16Z', 'all'], 'Say since when'],
  ])('refuses %j', (args, words) => {
    expect(() => orderOf(args, NOW)).toThrow(words);
  });
});
