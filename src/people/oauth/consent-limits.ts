import { InvalidRequest } from '#kernel/app-error';
import { type Micro, parseUsd } from '#kernel/money';

/** The limits that the page of consent offers. */
export const DEFAULT_LIMIT_USD = '5';
export const DEFAULT_DAYS = '7';
/** The most that a person may grant an app. */
const LIMIT_USD_MAX = 10_000;
const DAYS_MAX = 365;

/** The amount that a person has entered. */
export const limitIn = (text: string): Micro => {
  const limit = parseUsd(text.trim());
  if (limit === undefined || limit === 0n || limit > BigInt(LIMIT_USD_MAX) * 1_000_000n)
    throw new InvalidRequest(`The limit must be an amount in US dollars, up to ${LIMIT_USD_MAX}.`);
  return limit;
};

/** The days that a person has entered. */
export const daysIn = (text: string): number => {
  const days = /^\d{1,3}$/.test(text.trim()) ? Number(text) : 0;
  if (days < 1 || days > DAYS_MAX)
    throw new InvalidRequest(`The days must be a whole number from 1 to ${DAYS_MAX}.`);
  return days;
};
