import { InvalidRequest } from '#kernel/app-error';

const DAY_MS = 86_400_000;
/** The longest period of a report. */
const DAYS_MAX = 366;

/** A day, a time and a time zone, because other forms are ambiguous. */
const TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d(:\d\d(\.\d{1,9})?)?(Z|[+-]\d\d:\d\d)$/;

/** The time that a query names, or undefined if the text is no time. */
export const timeIn = (text: string): Date | undefined => {
  const time = new Date(text);
  return TIME.test(text) && !Number.isNaN(time.getTime()) ? time : undefined;
};

/** Refuses a report of a longer period, because it would read too much. The end is not part of the period. */
export const refuseLongPeriod = (from: number, to: number): void => {
  if (to - from > DAYS_MAX * DAY_MS)
    throw new InvalidRequest(`from and to may lie at most ${DAYS_MAX} days apart.`, { param: 'from' });
};
