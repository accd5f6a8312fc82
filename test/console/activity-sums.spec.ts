import { type Line, changeOf, forecast, largest } from '../../clients/console/activity/sums';

const line = (day: string, spentMicro: number, modelId = 'ember'): Line => ({
  day,
  modelId,
  keyId: null,
  calls: 1,
  spentMicro,
  inputTokens: 0,
  outputTokens: 0,
});

describe('the sums of activity', () => {
  it('expect the pace of the last seven full days for the rest of the month', () => {
    const days = ['03', '04', '05', '06', '07', '08', '09'].map((day) => line(`2026-06-${day}`, 7_000_000));
    const noon = Date.parse('2026-06-10T12:00:00Z');

    // 49 dollars are spent, and 20 and a half days remain.
    expect(forecast([...days, line('2026-05-30', 900)], 70_000_000, noon)).toEqual({
      monthMicro: 49_000_000 + 143_500_000,
      daysLeft: 10,
    });
  });

  it('expect nothing more where nothing was spent lately', () => {
    const end = Date.parse('2026-02-28T23:00:00Z');
    expect(forecast([line('2026-02-01', 5)], 1, end)).toEqual({ monthMicro: 5, daysLeft: undefined });
  });

  it('compare two periods', () => {
    expect([changeOf(3, 2), changeOf(1, 2), changeOf(2, 2), changeOf(2, 0)]).toEqual([
      '+50% on the period before',
      '−50% on the period before',
      'as in the period before',
      undefined,
    ]);
  });

  it('name the largest groups', () => {
    const lines = [line('2026-01-01', 1, 'a'), line('2026-01-01', 3, 'b'), line('2026-01-02', 2, 'c')];
    expect(largest(lines, ({ modelId }) => modelId ?? '', 'spend', 2)).toEqual({
      groups: ['b', 'c'],
      hasRest: true,
    });
  });
});
