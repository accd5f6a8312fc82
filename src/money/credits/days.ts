import { InvalidRequest } from '#kernel/app-error';
import { refuseLongPeriod } from '#platform/http/routes/time-query';

const DAY_MS = 86_400_000;
const DAYS_DEFAULT = 30;
const DAY = /^\d{4}-\d{2}-\d{2}$/;

export interface Days {
  readonly from: string;
  readonly to: string;
}

const textOf = (time: number): string => new Date(time).toISOString().slice(0, 10);

const timeOf = (text: unknown, param: string): number => {
  const time = typeof text === 'string' && DAY.test(text) ? Date.parse(`${text}T00:00:00Z`) : NaN;
  // `2026-02-30` parses as the second of March; a day is valid if it is unchanged after parsing.
  if (Number.isNaN(time) || textOf(time) !== text)
    throw new InvalidRequest(`${param} must be a day such as 2026-01-31.`, { param });
  return time;
};

/** The days of a report, both included, in UTC. The default end is today, and the default length 30 days. */
export const daysIn = (from: unknown, to: unknown, now: Date): Days => {
  const end = to === undefined ? Date.parse(textOf(now.getTime())) : timeOf(to, 'to');
  const start = from === undefined ? end - (DAYS_DEFAULT - 1) * DAY_MS : timeOf(from, 'from');
  if (start > end) throw new InvalidRequest('from must not be after to.', { param: 'from' });
  refuseLongPeriod(start, end + DAY_MS);
  return { from: textOf(start), to: textOf(end) };
};
