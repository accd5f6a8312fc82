import { CALL_TRIES_MAX, TRIED_SECONDS_MAX, retryAfterOf, secondsUntilNext } from './retry-schedule';

describe('the pause before the next try', () => {
  it('grows from seconds to an hour, and stays there', () => {
    expect([1, 2, 3, 4, 5, 6, 7, 24].map((tries) => secondsUntilNext(tries, 0.5))).toEqual([
      5, 30, 120, 600, 1_800, 3_600, 3_600, 3_600,
    ]);
    expect([CALL_TRIES_MAX, TRIED_SECONDS_MAX]).toEqual([6, 86_400]);
  });

  it('is a fifth shorter or longer by chance', () => {
    expect(secondsUntilNext(2, 0)).toBeCloseTo(24);
    expect(secondsUntilNext(2, 1)).toBeCloseTo(36);
  });

  it('is never shorter than the receiver has asked for', () => {
    expect(secondsUntilNext(1, 0.5, 60)).toBe(60);
    expect(secondsUntilNext(6, 0.5, 60)).toBe(3_600);
  });
});

describe('what a receiver asks for', () => {
  const now = new Date('2026-11-22T12:00:00Z');

  it.each([
    ['120', 120],
    [' 7 ', 7],
    ['Sun, 22 Nov 2026 12:01:30 GMT', 90],
    ['999999999', 86_400],
    ['Sun, 22 Nov 2099 12:00:00 GMT', 86_400],
  ])('is read from %s', (header, seconds) => {
    expect(retryAfterOf(header, now)).toBe(seconds);
  });

  it.each([undefined, '', '0', '-5', 'soon', 'Sun, 22 Nov 2026 11:00:00 GMT'])(
    'is nothing in %s',
    (header) => {
      expect(retryAfterOf(header, now)).toBeUndefined();
    },
  );
});
