const HOUR_MS = 3_600_000;

/** A range of time in milliseconds. It includes `from` and excludes `until`. */
export interface TimeRange {
  readonly from: number;
  readonly until: number;
}

/**
 * The hour before `recent` to check in this minute. Each hour is checked at least once in twice as many minutes as
 * there are hours. As many turns as hours would not be enough, because each new hour would shift the order.
 */
export const hourToCheck = (minute: number, oldest: number, recent: number): TimeRange => {
  const hours = Math.max(1, Math.ceil((recent - oldest) / HOUR_MS));
  const turns = 2 ** Math.ceil(Math.log2(hours));
  const turn = minute % turns;
  const until = recent - (turn < hours ? turn : turn - turns / 2) * HOUR_MS;
  return { from: until - HOUR_MS, until };
};
