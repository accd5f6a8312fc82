import { InvalidRequest } from '#kernel/app-error';
import { daysIn } from './days';

const NOW = new Date('2026-03-01T23:59:59Z');

describe('the days of a report', () => {
  it.each([
    [undefined, undefined, { from: '2026-01-31', to: '2026-03-01' }],
    ['2026-02-01', undefined, { from: '2026-02-01', to: '2026-03-01' }],
    [undefined, '2026-02-10', { from: '2026-01-12', to: '2026-02-10' }],
    ['2024-02-29', '2024-02-29', { from: '2024-02-29', to: '2024-02-29' }],
    ['2025-01-01', '2026-01-01', { from: '2025-01-01', to: '2026-01-01' }],
  ])('from %s to %s', (from, to, expected) => {
    expect(daysIn(from, to, NOW)).toEqual(expected);
  });

  it.each([
    ['2026-02-30', undefined, 'from'],
    ['2026-2-3', undefined, 'from'],
    ['yesterday', undefined, 'from'],
    ['', undefined, 'from'],
    [['2026-01-01', '2026-01-02'], undefined, 'from'],
    [undefined, '2026-13-01', 'to'],
    ['2026-02-02', '2026-02-01', 'from'],
    ['2025-01-01', '2026-01-02', 'from'],
  ])('are refused from %s to %s', (from, to, param) => {
    const reading = () => daysIn(from, to, NOW);

    expect(reading).toThrow(InvalidRequest);
    expect(reading).toThrow(expect.objectContaining({ extras: { param } }));
  });
});
