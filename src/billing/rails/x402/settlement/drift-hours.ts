const HOUR_MS = 3_600_000;

/** A stretch of time in milliseconds: its first one, and the one after its last. */
export interface TimeRange {
  readonly from: number;
  readonly until: number;
}

/**
 * The hour before `recent` that is looked at in this minute: one after another, and each at least once in twice as many minutes
 * as there are hours. As many minutes as there are hours would be too few: with each new hour all would begin elsewhere.
 */
export const hourToCheck = (minute: number, oldest: number, recent: number): TimeRange => {
  const hours = Math.max(1, Math.ceil((recent - oldest) / HOUR_MS));
  const turns = 2 ** Math.ceil(Math.log2(hours));
  const turn = minute % turns;
  const until = recent - (turn < hours ? turn : turn - turns / 2) * HOUR_MS;
  return { from: until - HOUR_MS, until };
};
