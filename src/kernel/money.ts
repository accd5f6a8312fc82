import type { Brand } from './brand';

/** Whole micro-USD: 1 USD is 1_000_000n, and so is 1 USDC. The only money type in this codebase. */
export type Micro = Brand<bigint, 'Micro'>;

/** JSON numbers are exact up to here. All our prices and balances are far below. */
const JSON_MAX = BigInt(Number.MAX_SAFE_INTEGER);

export const micro = (value: bigint): Micro => {
  if (value < 0n) throw new RangeError(`Money is never negative: ${value}.`);
  return value as Micro;
};

/** Postgres returns bigint columns as text. */
export const microFromText = (value: string): Micro => micro(BigInt(value));

export const microToJson = (value: Micro): number => {
  if (value > JSON_MAX) throw new RangeError(`${value} micro-USD can't be said exactly as a JSON number.`);
  return Number(value);
};

/** Divides and rounds up, because a fraction of a micro is charged as one. */
export const ceilDiv = (dividend: bigint, divisor: bigint): bigint => (dividend + divisor - 1n) / divisor;

export const larger = (a: Micro, b: Micro): Micro => (a > b ? a : b);
export const smaller = (a: Micro, b: Micro): Micro => (a < b ? a : b);

/** Reads decimal USD such as `0.22`, at most six decimals; undefined for other text. */
export const parseUsd = (text: string): Micro | undefined => {
  const match = /^(\d{1,9})(?:\.(\d{1,6}))?$/.exec(text);
  if (match === null) return undefined;
  const [, whole = '0', fraction = ''] = match;
  return micro(BigInt(whole) * 1_000_000n + BigInt(fraction.padEnd(6, '0')));
};

/** Formats `4546n` as `0.004546`: always six decimals, because people compare prices by eye. */
export const usdText = (value: Micro): string => {
  const digits = value.toString().padStart(7, '0');
  return `${digits.slice(0, -6)}.${digits.slice(-6)}`;
};
