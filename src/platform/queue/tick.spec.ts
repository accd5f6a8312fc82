import { TICK_MS, runsIn, tickOf } from './tick';

const at = (from: number, late = 5) => tickOf({ id: `repeat:ticks:${from}`, processedOn: from + late });

/** How often something runs in a minute of ticks, whoever takes them. */
const runsInAMinute = (everyMs: number, offset: number): number =>
  Array.from({ length: 60_000 / TICK_MS }, (_, n) => runsIn(at(offset + n * TICK_MS), everyMs)).flat().length;

describe('a tick', () => {
  it.each([0, 1, 1_999])('leaves nothing out and runs nothing twice, %d ms off the beat', (offset) => {
    expect(runsInAMinute(60_000, offset)).toBe(1);
    expect(runsInAMinute(30_000, offset)).toBe(2);
    expect(runsInAMinute(5_000, offset)).toBe(12);
    expect(runsInAMinute(2_000, offset)).toBe(30);
    expect(runsInAMinute(1_000, offset)).toBe(60);
  });

  it('runs what is run each second at its begin, and once more a second later', () => {
    expect(runsIn(at(120_000), 1_000)).toEqual([0, 1_000]);
  });

  it('knows the time of the queue, whatever time its process has', () => {
    expect(at(120_000, -600_000)).toEqual({ from: 120_000, to: 122_000 });
  });

  it('answers for those that will never come because it was late', () => {
    const { to } = at(119_300, 3_000);

    expect(to).toBe(125_300);
    expect(runsIn({ from: 119_300, to }, 60_000)).toEqual([0]);
    expect(runsIn(at(to), 60_000)).toEqual([]);
  });

  it('is one of its own time when somebody has added it by hand', () => {
    expect(tickOf({ id: '17', processedOn: 120_000 }).from).toBe(120_000);
  });
});
