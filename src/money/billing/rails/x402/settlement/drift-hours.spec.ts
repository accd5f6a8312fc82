import { hourToCheck } from './drift-hours';

const HOUR_MS = 3_600_000;
const MINUTE_MS = 60_000;
const NOW = Date.parse('2026-11-22T20:00:00Z');

describe('the hour that is looked at', () => {
  it.each([0, 1, 59, 1_000_000])(
    'is the last one before now where there is no older one, in minute %i',
    (minute) => {
      expect(hourToCheck(minute, NOW - 60_000, NOW)).toEqual({ from: NOW - HOUR_MS, until: NOW });
      expect(hourToCheck(minute, NOW, NOW)).toEqual({ from: NOW - HOUR_MS, until: NOW });
    },
  );

  it.each([2, 3, 24, 100, 129, 1_000])('comes to each of %i hours, while time goes on', (hours) => {
    const oldest = NOW - hours * HOUR_MS;
    const begun = 29_661_123;
    const seen = Array.from({ length: 2 * hours + 2 }, (_, past) =>
      hourToCheck(begun + past, oldest, NOW + past * MINUTE_MS),
    );
    const missed = Array.from({ length: hours * 60 }, (_, at) => oldest + at * MINUTE_MS).filter(
      (time) => !seen.some(({ from, until }) => from <= time && time < until),
    );

    expect(missed).toEqual([]);
  });
});
